"""EKS add-ons as parts of features, with the role that their service account gets by EKS Pod Identity."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import yaml

from clusters.choices import DependencyState, PartState
from clusters.dependencies.addon import FAILED_STATUSES, HINTS, default_version
from clusters.dependencies.entry import WorkloadName, judge
from clusters.features.entry import Chosen, Feature
from clusters.features.part import ABSENT, Part, PartSeen
from clusters.features.role import Document, PolicyPart, RolePart, role_arn, trusts_pod_identity
from clusters.reading.eks import AddonReading
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from operations.step import Fault, Outcome, Step, StepContext

POD_IDENTITY = "pod identity"
Values = Mapping[str, Any]
"""Configuration values by top-level key. A value that only a look at the cluster tells is a function of its reader."""


class AddonPart(Part):
    """workloads: what it brings, under AWS's names. configuration: the values that we set; others are left as they are.

    service_account, role: whom the add-on gives which role by an association of its own, which comes and goes with it.
    """

    key = "addon"
    resource_type = "AWS::EKS::Addon"
    create_api = "eks:CreateAddon"
    delete_api = "eks:DeleteAddon"
    typical_seconds = 120
    redone = True

    def __init__(
        self,
        name: str,
        workloads: tuple[WorkloadName, ...],
        configuration: Values | None = None,
        service_account: str = "",
        role: str = "",
    ) -> None:
        self.name, self.workloads = name, workloads
        self.configuration = dict(configuration or {})
        self.service_account, self.role = service_account, role

    def read(self, reader: ClusterReader) -> PartSeen:
        addon = reader.addon(self.name)
        if addon is None:
            return ABSENT
        common: dict[str, Any] = {"fields": self._fields(addon), "version": addon.version, "made_by": addon.operation}
        if addon.status == "DELETING":
            return PartSeen(PartState.REMOVING, "EKS removes the add-on", **common)
        if addon.status in ("CREATING", "UPDATING"):
            return PartSeen(PartState.MOVING, f"EKS says {addon.status}", **common)
        if addon.status in FAILED_STATUSES or (addon.status == "DEGRADED" and not addon.lacks_only_replicas):
            return PartSeen(PartState.BROKEN, _sentence(addon), faults=_faults(addon), **common)
        return self._running(reader, common)

    def _running(self, reader: ClusterReader, common: dict[str, Any]) -> PartSeen:
        """Installed: how its pods are."""
        found = {(item.kind, item.namespace, item.name): item for item in reader.workloads}
        missing = [name for name in self.workloads if (name.kind, name.namespace, name.name) not in found]
        mine = [found[name.kind, name.namespace, name.name] for name in self.workloads if name not in missing]
        state, message, pods, ready_pods = judge(mine, missing, nodes=reader.has_ready_node)
        common |= {"pods": pods, "ready_pods": ready_pods}
        if state is DependencyState.WAITS_FOR_NODES:
            return PartSeen(PartState.READY, message, waits_for_nodes=True, **common)
        return PartSeen(PartState.READY if state is DependencyState.ACTIVE else PartState.MOVING, message, **common)

    def _fields(self, addon: AddonReading) -> dict[str, Any]:
        values = yaml.safe_load(addon.configuration or "{}") or {}
        fields = {f"configuration.{key}": values.get(key) for key in self.configuration}
        if self.service_account:
            given = bool(addon.associations or addon.role_arn)
            fields[POD_IDENTITY] = self.role if given else None
        return fields

    def values(self, reader: ClusterReader) -> dict[str, Any]:
        """The configuration values, every one told."""
        return {key: value(reader) if callable(value) else value for key, value in self.configuration.items()}

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        fields: dict[str, Any] = {f"configuration.{key}": value for key, value in self.values(reader).items()}
        if self.service_account:
            fields[POD_IDENTITY] = self.role
        return fields

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        reader = subject.reader()
        aws = reader.aws
        request: dict[str, Any] = {
            "clusterName": subject.eks_name,
            "addonName": self.name,
            "resolveConflicts": "OVERWRITE",
            "clientRequestToken": context.token(step),
            "tags": subject.tags(),
            **self._identity(subject),
        }
        version = default_version(aws, self.name, subject.spec.kubernetes_version)
        if version:
            request["addonVersion"] = version
        if self.configuration:
            request["configurationValues"] = json.dumps(self.values(reader), sort_keys=True)
        reply = aws.write("eks", "create_addon", **request)
        return Outcome(reply.request_id, f"Asked EKS for {self.name}")

    def _identity(self, subject: Subject) -> dict[str, Any]:
        if not self.service_account:
            return {}
        association = {"serviceAccount": self.service_account, "roleArn": role_arn(subject.spec, self.role)}
        return {"podIdentityAssociations": [association]}

    def update(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        """Only what differs is sent; EKS keeps the rest, but takes the configuration whole: so others' values go along as read."""
        reader = subject.reader()
        changed = {change.field for change in self.differences(reader, seen)}
        request: dict[str, Any] = {"clusterName": subject.eks_name, "addonName": self.name, "clientRequestToken": context.token(step)}
        if POD_IDENTITY in changed:
            request |= self._identity(subject)
        if changed - {POD_IDENTITY}:
            addon = reader.addon(self.name)
            before = yaml.safe_load((addon.configuration if addon else "") or "{}") or {}
            request["configurationValues"] = json.dumps({**before, **self.values(reader)}, sort_keys=True)
            request["resolveConflicts"] = "PRESERVE"
        reply = reader.aws.write("eks", "update_addon", **request)
        return Outcome(reply.request_id, f"Asked EKS to change {self.name}")

    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        reply = subject.reader().aws.write("eks", "delete_addon", clusterName=subject.eks_name, addonName=self.name)
        return Outcome(reply.request_id, f"Asked EKS to remove {self.name}")


class AddonFeature(Feature):
    """A feature that is one EKS add-on, with a role of its own where `purpose` names one."""

    addon: ClassVar[str]
    workloads: ClassVar[tuple[WorkloadName, ...]]
    purpose: ClassVar[str] = ""
    service_account: ClassVar[str] = ""

    def statements(self, spec: ResolvedSpec, settings: Chosen) -> list[Document]:
        """What its role may do."""
        return []

    def configuration(self, spec: ResolvedSpec, settings: Chosen) -> Values:
        """The configuration values that we set."""
        return {}

    def parts(self, spec: ResolvedSpec, settings: Chosen) -> list[Part]:
        if not self.purpose:
            return [AddonPart(self.addon, self.workloads, self.configuration(spec, settings))]
        role = RolePart(
            spec,
            self.purpose,
            trusts_pod_identity,
            f"{self.title} of {spec.name}",
            needed=lambda reader: not has_other_role(reader, self.addon, role.name),
        )
        addon = AddonPart(self.addon, self.workloads, self.configuration(spec, settings), self.service_account, role.name)
        return [role, PolicyPart(role, self.statements(spec, settings)), addon]


def configured(reader: ClusterReader, name: str) -> dict[str, Any]:
    """The configuration values of an add-on as they are; {} where it is not there or has none."""
    addon = reader.addon(name)
    values = yaml.safe_load(addon.configuration or "{}") if addon is not None else None
    return values if isinstance(values, dict) else {}


def has_other_role(reader: ClusterReader, name: str, role: str) -> bool:
    """Whether another hand gave the add-on a role that is not ours."""
    addon = reader.addon(name)
    if addon is None:
        return False
    if addon.role_arn:
        return not addon.role_arn.endswith(f"/{role}")
    if not addon.associations or reader.role(role) is not None:
        return False
    given = [reader.association_role(arn) for arn in addon.associations]
    return any(arn is not None and not arn.endswith(f"/{role}") for arn in given)


def _sentence(addon: AddonReading) -> str:
    issues = "; ".join(f"{issue.code}: {issue.message}" for issue in addon.issues)
    return f"{addon.name} is {addon.status}" + (f" ({issues})" if issues else "")


def _faults(addon: AddonReading) -> tuple[Fault, ...]:
    """Each health issue in EKS's words."""
    issues = [(issue.code, issue.message) for issue in addon.issues] or [(addon.status, "EKS gives no reason.")]
    hint = "Turn it on again: a broken add-on is removed and installed anew."
    return tuple(
        Fault("addon_degraded" if addon.status == "DEGRADED" else "addon_failed", f"{addon.name}: {code}: {said}", HINTS.get(code, hint))
        for code, said in issues
    )
