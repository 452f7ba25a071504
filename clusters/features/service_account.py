"""A Kubernetes service account that takes an IAM role by its annotation (IRSA)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters import tags
from clusters.choices import PartState
from clusters.features.part import ABSENT, Part, PartSeen
from clusters.features.role import role_arn
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from clusters.steps.storage import api
from operations.step import Outcome, Step, StepContext

ROLE_ANNOTATION = "eks.amazonaws.com/role-arn"
AUDIENCE_ANNOTATION = "eks.amazonaws.com/audience"
AUDIENCE = "sts.amazonaws.com"


class ServiceAccountPart(Part):
    """One that another hand made keeps all that is theirs: only the annotation is put there, and taken off again."""

    key = "service-account"
    resource_type = "ServiceAccount"
    create_api = "kubernetes:apply"
    delete_api = "kubernetes:delete"

    def __init__(self, spec: ResolvedSpec, namespace: str, account: str, role: str) -> None:
        self.namespace, self.account = namespace, account
        self.arn = role_arn(spec, role)
        self.name = f"{namespace}/{account}"

    def found(self, reader: ClusterReader) -> dict[str, Any] | None:
        return reader.object("v1", "ServiceAccount", self.account, self.namespace)

    def taken_by(self, reader: ClusterReader) -> str:
        """ARN of another role that the service account takes, "" when it takes none."""
        given = str(_annotations(self.found(reader)).get(ROLE_ANNOTATION, ""))
        return given if given != self.arn else ""

    def read(self, reader: ClusterReader) -> PartSeen:
        found = self.found(reader)
        if found is None:
            return ABSENT
        if found["metadata"].get("deletionTimestamp"):
            return PartSeen(PartState.REMOVING, f"The service account {self.name} is being deleted")
        annotations = _annotations(found)
        if annotations.get(ROLE_ANNOTATION) != self.arn and not _ours(found):
            return ABSENT  # somebody's, and none of this chain
        fields = {ROLE_ANNOTATION: annotations.get(ROLE_ANNOTATION), AUDIENCE_ANNOTATION: annotations.get(AUDIENCE_ANNOTATION)}
        return PartSeen(PartState.READY, fields=fields, made_by=_labels(found).get(tags.LABEL_OPERATION, ""))

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        return {ROLE_ANNOTATION: self.arn, AUDIENCE_ANNOTATION: AUDIENCE}

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        found = self.found(subject.reader())
        metadata: dict[str, Any] = {"name": self.account, "namespace": self.namespace, "annotations": self.wanted(subject.reader())}
        if found is None or _ours(found):
            metadata["labels"] = subject.labels()
        made = api(subject).apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
        return Outcome(made["metadata"].get("resourceVersion", ""), f"Gave the service account {self.name} its role")

    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        found = self.found(subject.reader())
        if found is not None and not _ours(found):
            changes = {"metadata": {"annotations": {ROLE_ANNOTATION: None, AUDIENCE_ANNOTATION: None}}}
            made = api(subject).patch("v1", "ServiceAccount", self.account, changes, self.namespace)
            return Outcome(made["metadata"].get("resourceVersion", ""), f"Took the role off the service account {self.name}")
        api(subject).delete("v1", "ServiceAccount", self.account, self.namespace)
        return Outcome(message=f"Deleted the service account {self.name}")


def _annotations(found: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return (found or {}).get("metadata", {}).get("annotations") or {}


def _labels(found: Mapping[str, Any]) -> Mapping[str, str]:
    return found["metadata"].get("labels") or {}


def _ours(found: Mapping[str, Any]) -> bool:
    return tags.LABEL_CLUSTER in _labels(found)
