"""The tags by which an imported cluster is ours to change: written by one call, taken off by one."""

from __future__ import annotations

from collections.abc import Mapping

from clusters import tags
from clusters.reading.reader import ClusterReader
from clusters.steps.base import ClusterStep, Subject, absent, different, failed, ready
from operations.step import Fault, Observation, Outcome, StepContext


def wanted(name: str) -> dict[str, str]:
    """The tags of an adopted cluster."""
    return {tags.CLUSTER: name, tags.ADOPTED: "yes"}


def eks_tags(reader: ClusterReader) -> Mapping[str, str] | None:
    """None when there is no EKS cluster."""
    return reader.eks.tags if reader.eks is not None else None


def hyperpod_tags(reader: ClusterReader) -> Mapping[str, str] | None:
    """None when there is no HyperPod cluster."""
    found = reader.hyperpod
    if found is None:
        return None
    return tags.as_dict(reader.aws.pages("sagemaker", "list_tags", "Tags", ResourceArn=found.arn))


def ours(found: Mapping[str, str] | None, name: str) -> list[str]:
    """Those of the tags that are our own of this cluster; another InstantStart's stay."""
    if not found or found.get(tags.CLUSTER) != name or tags.ADOPTED not in found:
        return []
    return sorted(key for key in wanted(name) if key in found)


class TagEks(ClusterStep):
    name = "tag-eks"
    api = "eks:TagResource"
    typical_seconds = 2

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.title = f"Tag the EKS cluster {subject.eks_name}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = eks_tags(reader)
        if found is None:
            return failed(Fault("eks_missing", f"AWS knows no EKS cluster {reader.eks_name}.", "Forget the cluster here."))
        return _compared(found, self.subject.name)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reader = self.subject.reader()
        arn = reader.eks.arn if reader.eks is not None else ""
        reply = reader.aws.write("eks", "tag_resource", resourceArn=arn, tags=wanted(self.subject.name))
        return Outcome(reply.request_id, "Tagged the EKS cluster")


class TagHyperPod(ClusterStep):
    name = "tag-hyperpod"
    api = "sagemaker:AddTags"
    typical_seconds = 2

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.title = f"Tag the HyperPod cluster {subject.hyperpod_name}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = hyperpod_tags(reader)
        if found is None:
            return failed(Fault("hyperpod_missing", f"AWS knows no HyperPod cluster {reader.hyperpod_name}.", "Import the cluster again."))
        return _compared(found, self.subject.name)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reader = self.subject.reader()
        arn = reader.hyperpod.arn if reader.hyperpod is not None else ""
        reply = reader.aws.write("sagemaker", "add_tags", ResourceArn=arn, Tags=tags.as_list(wanted(self.subject.name)))
        return Outcome(reply.request_id, "Tagged the HyperPod cluster")


def _compared(found: Mapping[str, str], name: str) -> Observation:
    missing = [key for key, value in wanted(name).items() if found.get(key) != value]
    return absent(f"It lacks {', '.join(missing)}") if missing else ready("It carries our tags")


class UntagEks(ClusterStep):
    name = "untag-eks"
    api = "eks:UntagResource"
    typical_seconds = 2

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.title = f"Take our tags off the EKS cluster {subject.eks_name}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        return _rest(ours(eks_tags(reader), self.subject.name))

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reader = self.subject.reader()
        arn = reader.eks.arn if reader.eks is not None else ""
        reply = reader.aws.write("eks", "untag_resource", resourceArn=arn, tagKeys=seen.facts["keys"])
        return Outcome(reply.request_id, "Took our tags off the EKS cluster")


class UntagHyperPod(ClusterStep):
    name = "untag-hyperpod"
    api = "sagemaker:DeleteTags"
    typical_seconds = 2

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.title = f"Take our tags off the HyperPod cluster {subject.hyperpod_name}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        return _rest(ours(hyperpod_tags(reader), self.subject.name))

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reader = self.subject.reader()
        arn = reader.hyperpod.arn if reader.hyperpod is not None else ""
        reply = reader.aws.write("sagemaker", "delete_tags", ResourceArn=arn, TagKeys=seen.facts["keys"])
        return Outcome(reply.request_id, "Took our tags off the HyperPod cluster")


def _rest(keys: list[str]) -> Observation:
    return different(f"It carries {', '.join(keys)}", keys=keys) if keys else ready("It carries none of our tags")
