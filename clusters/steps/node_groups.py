"""EKS node groups: their launch template, their creation, their counts, their end. Each call names one group."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from clusters import names, tags
from clusters.node_groups.request import changed, scaling
from clusters.reading.failures import cause_of
from clusters.reading.failures import fault as classified
from clusters.reading.node_groups import (
    LABEL,
    NODE_GROUP_RESOURCE,
    TEMPLATE_RESOURCE,
    NodeGroupReading,
    TemplateReading,
    read_templates,
)
from clusters.reading.reader import ClusterReader
from clusters.steps.base import ClusterStep, Subject, WaitingStep, absent, different, failed, pending, ready
from operations.step import Fault, Observation, Outcome, StepContext

GIVE_UP_AFTER = 12


def template(reader: ClusterReader, name: str) -> TemplateReading | None:
    return next(iter(read_templates(reader.aws, "launch-template-name", name)), None)


class EnsureTemplate(ClusterStep):
    """The group's launch template under its derived name. One that an earlier attempt left with other data is made anew."""

    name = "node-group-template"
    api = "ec2:CreateLaunchTemplate"
    typical_seconds = 2

    def __init__(self, subject: Subject, group: str, data: Mapping[str, Any]) -> None:
        super().__init__(subject)
        self.template_name, self.data = names.launch_template(subject.name, group), data
        self.title = f"Make {TEMPLATE_RESOURCE} {self.template_name}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = template(reader, self.template_name)
        if found is None:
            return absent(f"There is no launch template {self.template_name}")
        if found.tags.get(tags.CLUSTER) != self.subject.name:
            return failed(
                Fault(
                    "template_not_ours",
                    f"A launch template {found.name} is there that InstantStart did not make for this cluster.",
                    "Delete or rename it, or choose another name for the node group.",
                )
            )
        if found.tags.get(tags.SPEC) != tags.digest(self.data):
            return different(f"{found.name} is from an earlier attempt", remove=found.template_id)
        return ready(f"{found.name} is there", template=found.template_id)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        if stale := seen.facts.get("remove"):
            reply = self.aws.write("ec2", "delete_launch_template", LaunchTemplateId=stale)
            return Outcome(reply.request_id, f"Deleted {self.template_name} of an earlier attempt")
        owned = {**self.subject.tags(), tags.SPEC: tags.digest(self.data)}
        reply = self.aws.write(
            "ec2",
            "create_launch_template",
            LaunchTemplateName=self.template_name,
            LaunchTemplateData=dict(self.data),
            ClientToken=context.token(self),
            TagSpecifications=[{"ResourceType": "launch-template", "Tags": tags.as_list(owned)}],
        )
        return Outcome(reply.request_id, f"Created the launch template {self.template_name}")


class CreateNodeGroup(ClusterStep):
    """CreateNodegroup, and the wait until EKS says that its nodes have joined."""

    name = "node-group-create"
    api = "eks:CreateNodegroup"
    typical_seconds = 180

    def __init__(self, subject: Subject, group: str, request: Mapping[str, Any]) -> None:
        super().__init__(subject)
        self.group, self.request = group, request
        self.title = f"Create {NODE_GROUP_RESOURCE} {group}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.node_group(self.group)
        if found is None:
            if context.reply.get("accepted"):
                return failed(gone(self.group, reader.name))
            return absent(f"EKS has no node group {self.group}")
        if found.status == "DELETING":
            return pending(f"EKS still deletes {self.group} of before")
        if found.operation != self.subject.operation:
            return failed(
                Fault("node_group_exists", f"A node group {self.group} was made by another hand meanwhile.", "Choose another name.")
            )
        if found.status == "CREATE_FAILED":
            return failed(trouble(found, "EKS could not create the node group.", "Delete it, put the cause right, and create it again."))
        if found.status == "CREATING":
            return pending(_waiting(reader, found))
        return ready(f"{self.group} is {found.status}", arn=found.arn)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        made = context.facts[EnsureTemplate.name]["template"]
        reply = self.aws.write(
            "eks",
            "create_nodegroup",
            clusterName=self.subject.eks_name,
            nodegroupName=self.group,
            launchTemplate={"id": made, "version": "1"},
            clientRequestToken=context.token(self),
            tags=self.subject.tags(),
            **self.request,
        )
        return Outcome(reply.request_id, f"Asked EKS for the node group {self.group}", {"accepted": True})


class SetCounts(ClusterStep):
    """UpdateNodegroupConfig with the counts that differ alone. What changes them after our update was carried out is left alone."""

    name = "node-group-counts"
    api = "eks:UpdateNodegroupConfig"
    typical_seconds = 30

    def __init__(self, subject: Subject, group: str, given: Mapping[str, int | None]) -> None:
        super().__init__(subject)
        self.group, self.given = group, given
        self.title = f"Set the counts of {group}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.node_group(self.group)
        if found is None or found.status == "DELETING":
            return failed(gone(self.group, reader.name))
        if found.status in ("CREATE_FAILED", "DELETE_FAILED"):
            return failed(trouble(found, f"{self.group} is {found.status}.", "Delete it and create it again."))
        if not found.settled:
            return pending(f"{self.group} is {found.status}")
        sent = changed(found.counts, scaling(found.counts, self.given))
        if not sent:
            return ready(f"{self.group} is to have {found.counts['desired']} nodes")
        if update := context.reply.get("update"):
            return self._after(reader, str(update))
        return different(f"{self.group} differs in {', '.join(sorted(sent))}", sent=sent)

    def _after(self, reader: ClusterReader, update: str) -> Observation:
        told = reader.aws.read("eks", "describe_update", name=reader.eks_name, nodegroupName=self.group, updateId=update)["update"]
        if told["status"] == "InProgress":
            return pending(f"EKS updates {self.group}")
        if told["status"] == "Successful":
            return ready(f"{self.group} was set as asked, and something else has changed it since")
        said = "; ".join(one.get("errorMessage", "") for one in told.get("errors") or ()) or "it gave no reason."
        return failed(classified(said, prefix=f"EKS did not change {self.group}."))

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write(
            "eks",
            "update_nodegroup_config",
            clusterName=self.subject.eks_name,
            nodegroupName=self.group,
            scalingConfig=dict(seen.facts["sent"]),
            clientRequestToken=context.token(self),
        )
        return Outcome(reply.request_id, f"Asked EKS to change the counts of {self.group}", {"update": reply.data["update"]["id"]})


class NodesJoined(WaitingStep):
    """The read that shows the outcome: as many nodes of the group are Ready in Kubernetes as it is to have."""

    name = "node-group-settled"
    typical_seconds = 120

    def __init__(self, subject: Subject, group: str) -> None:
        super().__init__(subject)
        self.group = group
        self.title = f"Wait for the nodes of {group}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.node_group(self.group)
        if found is None or found.status == "DELETING":
            return failed(gone(self.group, reader.name))
        wanted, (there, able) = found.counts["desired"], _joined(reader, self.group)
        if there == able == wanted:
            return ready(f"{able} nodes of {self.group} are Ready")
        if found.issues and not cause_of(found.issues[0].message).retried:
            said = f"{able} of {wanted} nodes of {self.group} are Ready."
            return failed(trouble(found, said, "Put the cause right; EKS goes on trying."))
        return pending(_waiting(reader, found))


class RemoveNodeGroup(ClusterStep):
    """The group and its nodes, and the wait until it is gone."""

    name = "node-group-remove"
    api = "eks:DeleteNodegroup"
    typical_seconds = 180

    def __init__(self, subject: Subject, group: str) -> None:
        super().__init__(subject)
        self.group = group
        self.title = f"Delete {group} and its nodes"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.node_group(self.group)
        if found is None:
            return ready(f"{self.group} is gone")
        return going(reader, found, context.attempt) or different(f"{self.group} is {found.status}", attempt=context.attempt)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        return delete(self.subject, self.group)


class RemoveTemplate(ClusterStep):
    """The group's launch template, where it is ours."""

    name = "node-group-template-remove"
    api = "ec2:DeleteLaunchTemplate"
    typical_seconds = 2

    def __init__(self, subject: Subject, group: str) -> None:
        super().__init__(subject)
        self.template_name = names.launch_template(subject.name, group)
        self.title = f"Delete {TEMPLATE_RESOURCE} {self.template_name}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = template(reader, self.template_name)
        if found is None or found.tags.get(tags.CLUSTER) != self.subject.name:
            return ready(f"There is no launch template {self.template_name} of ours")
        return different(f"{self.template_name} is there", template=found.template_id)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        return delete_template(self.subject, seen.facts["template"])


class RemoveNodeGroups(ClusterStep):
    """All groups of the cluster that goes, and their launch templates, one call at a time.

    named: groups of another hand that the plan told of. One that came later is not deleted unasked: it is named as what is in the way.
    """

    name = "remove-node-groups"
    title = "Delete the EKS node groups"
    api = "eks:DeleteNodegroup"
    typical_seconds = 180

    def __init__(self, subject: Subject, named: Collection[str]) -> None:
        super().__init__(subject)
        self.named = named

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        groups = reader.node_groups
        foreign = [one.name for one in groups if one.tags.get(tags.CLUSTER) != self.subject.name and one.name not in self.named]
        if foreign:
            return failed(
                Fault(
                    "node_group_in_the_way",
                    f"Node groups that another hand made since the plan are in the cluster: {', '.join(foreign)}.",
                    "Delete the cluster again: its plan then names them.",
                )
            )
        waits: Observation | None = None
        for group in groups:
            seen = going(reader, group, context.attempt - len(groups))
            if seen is None:
                return different(f"The node group {group.name} is there", group=group.name)
            waits = waits or seen
        if waits is not None:
            return waits
        left = next(iter(read_templates(reader.aws, f"tag:{tags.CLUSTER}", self.subject.name)), None)
        if left is not None:
            return different(f"The launch template {left.name} is left", template=left.template_id)
        return ready("There is no node group")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        if left := seen.facts.get("template"):
            return delete_template(self.subject, left)
        return delete(self.subject, seen.facts["group"])


def delete(subject: Subject, group: str) -> Outcome:
    aws = subject.reader().aws
    reply = aws.write("eks", "delete_nodegroup", clusterName=subject.eks_name, nodegroupName=group)
    return Outcome(reply.request_id, f"Asked EKS to delete the node group {group}")


def delete_template(subject: Subject, template_id: str) -> Outcome:
    reply = subject.reader().aws.write("ec2", "delete_launch_template", LaunchTemplateId=template_id)
    return Outcome(reply.request_id, f"Deleted the launch template {template_id}")


def going(reader: ClusterReader, found: NodeGroupReading, attempt: int) -> Observation | None:
    """What keeps a group from being deleted now, or that it goes already; None when it can be asked for."""
    if found.status == "DELETING":
        left = sum(node.labels.get(LABEL) == found.name for node in reader.nodes) if reader.target is not None else 0
        return pending(f"EKS deletes {found.name}; {left} nodes are left")
    if not found.settled:
        return pending(f"{found.name} is {found.status}; it can be deleted when that has ended")
    if attempt > GIVE_UP_AFTER:
        return failed(trouble(found, f"EKS took the deletion and {found.name} stays.", "See its health in EKS."))
    return None


def gone(group: str, cluster: str) -> Fault:
    return Fault("node_group_gone", f"EKS has no node group {group} of {cluster} any more.", "Create it anew if it is needed.")


def trouble(found: NodeGroupReading, prefix: str, hint: str) -> Fault:
    """With EKS's own words of the first issue."""
    if not found.issues:
        return Fault("node_group_failed", prefix, hint)
    made = classified(found.issues[0].message, prefix=prefix)
    return Fault(made.code if made.code != "unclassified" else "node_group_failed", made.message, f"{made.hint} {hint}".strip())


def _joined(reader: ClusterReader, group: str) -> tuple[int, int]:
    """How many nodes of the group Kubernetes knows, and how many of them are Ready."""
    nodes = [node for node in reader.nodes if node.labels.get(LABEL) == group]
    return len(nodes), sum(node.ready for node in nodes)


def _waiting(reader: ClusterReader, found: NodeGroupReading) -> str:
    there, able = _joined(reader, found.name)
    said = f"{found.name} is to have {found.counts['desired']} nodes; {there} have joined, {able} are Ready"
    return f"{said}. EKS: {found.issues[0].message}" if found.issues else said
