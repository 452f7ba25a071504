"""Dependencies that are Helm releases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings

from clusters.choices import DependencyKind, DependencyState
from clusters.dependencies.entry import DependencyEntry, DependencySeen, judge
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import ClusterStep, Subject, absent, different, pending, ready
from instantstart.kube.helm import Helm
from instantstart.kube.releases import Release, digest
from operations import clock
from operations.choices import StepState
from operations.plan import Change, FieldChange
from operations.step import Fault, Observation, Outcome, StepContext

HELM_SECONDS: float = settings.HELM_SECONDS


class HelmDependency(DependencyEntry):
    """release, namespace: where Helm keeps it."""

    kind = DependencyKind.HELM
    release: str
    namespace: str

    def chart(self) -> str:
        """Folder, archive or OCI reference."""
        raise NotImplementedError

    def values(self, spec: ResolvedSpec) -> dict[str, Any]:
        return {}

    def detect(self, reader: ClusterReader) -> DependencySeen:
        release = reader.release(self.release, self.namespace)
        if release is None or release.status == "uninstalled":
            return DependencySeen(DependencyState.ABSENT)
        common = DependencySeen(DependencyState.INSTALLING, status=release.status, version=release.version)
        if release.pending:
            state = DependencyState.REMOVING if release.status == "uninstalling" else DependencyState.INSTALLING
            return replace(common, state=state, message=f"Helm says {release.status}")
        if release.status != "deployed":
            message = f"The release {release.name} is {release.status}: {release.description}"
            fault = Fault("release_failed", message, "Retry the phase: the release is upgraded again.")
            return replace(common, state=DependencyState.FAILED, message=message, faults=(fault,))
        mine = [item for item in reader.workloads if item.release == self.release]
        state, message, pods, ready_pods = judge(mine, (), nodes=reader.has_ready_node)
        return replace(common, state=state, message=message, pods=pods, ready_pods=ready_pods)

    def plan(self, spec: ResolvedSpec, seen: DependencySeen) -> Change:
        version = local_chart_version(self.chart())
        if seen.state is DependencyState.ABSENT:
            fields = (FieldChange(field="chart", after=self.chart()), FieldChange(field="version", after=version or None))
            return Change(resource_type="Helm release", name=f"{self.namespace}/{self.release}", action="create", fields=fields)
        if version and seen.version and version != seen.version:
            newer = (FieldChange(field="version", before=seen.version, after=version),)
            return Change(resource_type="Helm release", name=f"{self.namespace}/{self.release}", action="update", fields=newer)
        return Change(resource_type="Helm release", name=f"{self.namespace}/{self.release}", action="none")

    def apply(self, subject: Subject) -> InstallRelease:
        return InstallRelease(subject, self)

    def remove(self, subject: Subject) -> RemoveRelease:
        return RemoveRelease(subject, self)


class InstallRelease(ClusterStep):
    """A release counts as one change. One that stays pending longer than a lease belongs to a dead driver: it is rolled
    back, or uninstalled at revision 1, before it is tried again."""

    api = "helm:upgrade"
    typical_seconds = 10
    apply_timeout = HELM_SECONDS + 8

    def __init__(self, subject: Subject, entry: HelmDependency) -> None:
        super().__init__(subject)
        self.entry = entry
        self.name = f"release-{entry.release}"
        self.title = f"Install {entry.title}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        if reader.target is None:
            return pending("EKS has not told the endpoint yet")
        release = reader.release(self.entry.release, self.entry.namespace)
        if release is None or release.status == "uninstalled":
            return absent(f"There is no release {self.entry.release}")
        if release.pending:
            if abandoned(release):
                return different(f"The release has been {release.status} for longer than a lease", undo=release.revision)
            return pending(f"Helm says {release.status}")
        if release.status != "deployed":
            return different(f"The release is {release.status}: {release.description}")
        version = local_chart_version(self.entry.chart())
        if version and version != release.version:
            return different(f"The release has chart {release.version}, wanted is {version}")
        if release.values_digest != digest(self.entry.values(self.subject.spec)):
            return different("The release has other values")
        return ready(f"Release {release.name} revision {release.revision} is deployed", version=release.version, revision=release.revision)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        target = self.subject.reader().target
        if target is None:
            raise RuntimeError("observe() saw an endpoint")
        helm, entry = Helm(target), self.entry
        undo = seen.facts.get("undo")
        if undo is not None:
            if undo > 1:
                helm.rollback(entry.release, entry.namespace, timeout=HELM_SECONDS)
            else:
                helm.uninstall(entry.release, entry.namespace, timeout=HELM_SECONDS)
            return Outcome(message="Undid a release that a dead driver had left pending")
        revision = helm.upgrade(entry.release, entry.chart(), entry.namespace, entry.values(self.subject.spec), HELM_SECONDS)
        return Outcome(revision, f"Helm deployed {entry.release}")


class RemoveRelease(ClusterStep):
    api = "helm:uninstall"
    typical_seconds = 10
    apply_timeout = HELM_SECONDS + 8

    def __init__(self, subject: Subject, entry: HelmDependency) -> None:
        super().__init__(subject)
        self.entry = entry
        self.name = f"remove-release-{entry.release}"
        self.title = f"Remove {entry.title}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        if reader.target is None:
            return ready("There is no Kubernetes API any more")
        release = reader.release(self.entry.release, self.entry.namespace)
        if release is None or release.status == "uninstalled":
            return ready(f"The release {self.entry.release} is gone")
        if release.pending and not abandoned(release):
            return pending(f"Helm says {release.status}")
        return Observation(StepState.DIFFERENT, f"The release is {release.status}")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        target = self.subject.reader().target
        if target is not None:
            Helm(target).uninstall(self.entry.release, self.entry.namespace, timeout=HELM_SECONDS)
        return Outcome(message=f"Helm uninstalled {self.entry.release}")


def abandoned(release: Release) -> bool:
    """Whether a pending release's driver must be dead: no Helm of ours runs longer than a lease."""
    try:
        updated = datetime.fromisoformat(release.updated)
    except ValueError:
        return False
    if updated.tzinfo is None:
        updated = updated.replace(tzinfo=UTC)
    return (clock.now() - updated).total_seconds() > settings.LEASE_SECONDS


def local_chart_version(chart: str) -> str:
    """The version in a chart folder's Chart.yaml, "" for an archive or an OCI reference."""
    description = Path(chart) / "Chart.yaml"
    if chart.startswith("oci://") or not description.is_file():
        return ""
    return str(yaml.safe_load(description.read_text()).get("version", ""))
