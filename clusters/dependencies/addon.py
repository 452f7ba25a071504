"""Dependencies that are EKS add-ons."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, ClassVar

from clusters import names
from clusters.choices import DependencyKind, DependencyState
from clusters.dependencies.entry import DependencyEntry, DependencySeen, WorkloadName, judge
from clusters.reading.eks import AddonReading, read_addon
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps import links
from clusters.steps.base import ClusterStep, Subject, WaitingStep, absent, different, failed, pending, ready
from instantstart.cloud.aws import Aws
from operations.plan import Change, FieldChange
from operations.step import Fault, Observation, Outcome, StepContext

FAILED_STATUSES = frozenset({"CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED"})
HINTS = {
    "AccessDenied": "Give the add-on's role the permission named in the message, then retry.",
    "ConfigurationConflict": "Something else manages the same objects: remove it, then retry.",
    "AdmissionRequestDenied": "An admission webhook refuses the add-on's objects: look at the webhook named in the message.",
    "ClusterUnreachable": "EKS can't reach the Kubernetes API: look at the control plane's subnets and security groups.",
    "InsufficientNumberOfReplicas": "Its pods can't run: look at their events with kubectl describe pod.",
    "AddonPermissionFailure": "Look at the role of the add-on's service account, then retry.",
}


class AddonDependency(DependencyEntry):
    """workloads: what the add-on brings, in the namespaces and under the names that AWS gives them."""

    kind = DependencyKind.ADDON
    workloads: ClassVar[tuple[WorkloadName, ...]] = ()

    def role_arn(self, subject: Subject) -> str:
        """IAM role of its service account, "" when it needs none."""
        return ""

    def configuration(self, spec: ResolvedSpec) -> dict[str, Any]:
        """Configuration values, {} for the add-on's own defaults."""
        return {}

    def detect(self, reader: ClusterReader) -> DependencySeen:
        addon = reader.addons.get(self.name) or reader.addon_again(self.name)
        if addon is None:
            return DependencySeen(DependencyState.ABSENT)
        state, message, pods, ready_pods, healing = self._judge(addon, reader)
        if state is not DependencyState.ACTIVE:
            # Its pods say that something is going on: then an earlier word of EKS' does not count.
            addon = reader.addon_again(self.name)
            if addon is None:
                return DependencySeen(DependencyState.ABSENT)
            state, message, pods, ready_pods, healing = self._judge(addon, reader)
        return DependencySeen(
            state=state,
            status=addon.status,
            version=addon.version,
            message=message,
            faults=() if healing else _faults(addon),
            pods=pods,
            ready_pods=ready_pods,
            operation=addon.operation,
            healing=healing,
        )

    def _judge(self, addon: AddonReading, reader: ClusterReader) -> tuple[DependencyState, str, int | None, int | None, bool]:
        if addon.status == "DELETING":
            return DependencyState.REMOVING, "EKS removes the add-on", None, None, False
        if addon.status in FAILED_STATUSES:
            return DependencyState.FAILED, _sentence(addon), None, None, False
        if addon.status in ("CREATING", "UPDATING"):
            return DependencyState.INSTALLING, f"EKS says {addon.status}", None, None, False
        if addon.status == "DEGRADED" and not addon.lacks_only_replicas:
            return DependencyState.DEGRADED, _sentence(addon), None, None, False
        nodes = reader.has_ready_node
        found = {(item.kind, item.namespace, item.name): item for item in reader.workloads}
        missing = [name for name in self.workloads if (name.kind, name.namespace, name.name) not in found]
        mine = [found[name.kind, name.namespace, name.name] for name in self.workloads if name not in missing]
        state, message, pods, ready_pods = judge(mine, missing, nodes=nodes)
        if addon.status == "DEGRADED" and nodes:
            return DependencyState.DEGRADED, _sentence(addon), pods, ready_pods, True
        return state, message, pods, ready_pods, False

    def plan(self, spec: ResolvedSpec, seen: DependencySeen) -> Change:
        version = spec.addons.get(self.name, "")
        fields = (FieldChange(field="version", before=seen.version or None, after=version or None),)
        if seen.state is DependencyState.ABSENT:
            return Change(resource_type="AWS::EKS::Addon", name=self.name, action="create", fields=fields)
        return Change(resource_type="AWS::EKS::Addon", name=self.name, action="none")

    def apply(self, subject: Subject) -> InstallAddon:
        return InstallAddon(subject, self)

    def remove(self, subject: Subject) -> RemoveAddon:
        return RemoveAddon(subject, self)


class InstallAddon(ClusterStep):
    """Asks for the add-on; the next ones are asked for while EKS installs this one. An add-on that failed in an earlier
    operation is deleted first, since EKS takes a failed one nowhere."""

    api = "eks:CreateAddon"
    typical_seconds = 10

    def __init__(self, subject: Subject, entry: AddonDependency) -> None:
        super().__init__(subject)
        self.entry = entry
        self.name = f"addon-{entry.name}"
        self.title = f"Install {entry.title}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        addon = read_addon(reader.aws, reader.eks_name, self.entry.name)
        link = links.addon(reader.region, reader.eks_name, self.entry.name)
        if addon is None:
            return absent(f"{self.entry.name} is not installed")
        if addon.status == "DELETING":
            return pending(f"EKS removes what an earlier attempt left of {self.entry.name}", link)
        if addon.status in FAILED_STATUSES:
            if addon.operation != self.subject.operation:
                return different(f"{self.entry.name} is {addon.status} from an earlier attempt", remove=True)
            return failed(_fault(addon), link)
        return ready(f"{self.entry.name} {addon.version} is {addon.status}", version=addon.version)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        aws = self.aws
        if seen.facts.get("remove"):
            reply = aws.write("eks", "delete_addon", clusterName=self.subject.eks_name, addonName=self.entry.name)
            return Outcome(reply.request_id, f"Asked EKS to remove the failed {self.entry.name}")
        reply = aws.write("eks", "create_addon", **self._request(context, aws))
        return Outcome(reply.request_id, f"Asked EKS for {self.entry.name}")

    def _request(self, context: StepContext, aws: Aws) -> dict[str, Any]:
        spec = self.subject.spec
        request: dict[str, Any] = {
            "clusterName": self.subject.eks_name,
            "addonName": self.entry.name,
            "resolveConflicts": "OVERWRITE",
            "clientRequestToken": context.token(self),
            "tags": self.subject.tags(),
        }
        version = spec.addons.get(self.entry.name) or default_version(aws, self.entry.name, spec.kubernetes_version)
        if version:
            request["addonVersion"] = version
        role = self.entry.role_arn(self.subject)
        if role:
            request["serviceAccountRoleArn"] = role
        configuration = self.entry.configuration(spec)
        if configuration:
            request["configurationValues"] = json.dumps(configuration, sort_keys=True)
        return request


class RemoveAddon(ClusterStep):
    """Asks for the removal; EKS removes the next ones meanwhile (AddonsGone waits for all of them)."""

    api = "eks:DeleteAddon"
    typical_seconds = 5

    def __init__(self, subject: Subject, entry: AddonDependency) -> None:
        super().__init__(subject)
        self.entry = entry
        self.name = f"remove-addon-{entry.name}"
        self.title = f"Remove {entry.title}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        addon = read_addon(reader.aws, reader.eks_name, self.entry.name)
        if addon is None:
            return ready(f"{self.entry.name} is gone")
        if addon.status == "DELETING":
            return ready(f"EKS removes {self.entry.name}")
        if addon.status in ("CREATING", "UPDATING"):
            link = links.addon(reader.region, reader.eks_name, self.entry.name)
            return pending(f"{self.entry.name} is {addon.status}; it can be removed when that has ended", link)
        return different(f"{self.entry.name} is {addon.status}")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("eks", "delete_addon", clusterName=self.subject.eks_name, addonName=self.entry.name)
        return Outcome(reply.request_id, f"Asked EKS to remove {self.entry.name}")


class AddonsGone(WaitingStep):
    name = "addons-gone"
    title = "Wait until the add-ons are gone"
    typical_seconds = 60

    def __init__(self, subject: Subject, names: Iterable[str]) -> None:
        super().__init__(subject)
        self.names = frozenset(names)

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        left = [addon for name, addon in reader.addons.items() if name in self.names]
        broken = next((addon for addon in left if addon.status == "DELETE_FAILED"), None)
        if broken is not None:
            return failed(_fault(broken))
        if left:
            return pending(f"EKS removes {', '.join(sorted(addon.name for addon in left))}")
        return ready("No add-on is left")


def default_version(aws: Aws, addon: str, kubernetes_version: str) -> str:
    """The version that EKS itself would choose for that Kubernetes version, "" when it offers none."""
    offers = aws.pages("eks", "describe_addon_versions", "addons", addonName=addon, kubernetesVersion=kubernetes_version)
    versions = [version for offer in offers for version in offer.get("addonVersions", [])]
    chosen = next(
        (version for version in versions if any(item.get("defaultVersion") for item in version.get("compatibilities", []))),
        versions[0] if versions else None,
    )
    return str(chosen["addonVersion"]) if chosen else ""


def role_arn(subject: Subject, role: str) -> str:
    """ARN of a role of ours."""
    return f"arn:{subject.spec.partition}:iam::{subject.account}:role/{role}"


def _sentence(addon: AddonReading) -> str:
    issues = "; ".join(f"{issue.code}: {issue.message}" for issue in addon.issues)
    return f"{addon.name} is {addon.status}" + (f" ({issues})" if issues else "")


def _fault(addon: AddonReading) -> Fault:
    first = addon.issues[0].code if addon.issues else ""
    code = "addon_degraded" if addon.status == "DEGRADED" else "addon_failed"
    return Fault(code, _sentence(addon), HINTS.get(first, "Retry the phase: a failed add-on is removed and installed anew."))


def _faults(addon: AddonReading) -> tuple[Fault, ...]:
    return (_fault(addon),) if addon.status in FAILED_STATUSES or addon.status == "DEGRADED" else ()


NAMESPACE = names.ADDON_NAMESPACE
