"""Helm releases as parts of features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings as project

from clusters.choices import DependencyState, PartState
from clusters.dependencies.entry import judge
from clusters.dependencies.helm import abandoned, local_chart_version
from clusters.features.part import ABSENT, Part, PartSeen
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from instantstart.kube.helm import Helm
from instantstart.kube.releases import Release
from operations.step import Fault, Outcome, Step, StepContext

HELM_SECONDS: float = project.HELM_SECONDS


class ReleasePart(Part):
    """chart: folder, archive or OCI reference; "" for a release that another hand installed, which we see and can remove."""

    key = "release"
    resource_type = "Helm release"
    create_api = "helm:upgrade"
    delete_api = "helm:uninstall"
    typical_seconds = 60
    call_seconds = HELM_SECONDS + 8

    def __init__(self, release: str, namespace: str, chart: str = "") -> None:
        self.release, self.namespace, self.chart = release, namespace, chart
        self.name = f"{namespace}/{release}"

    def read(self, reader: ClusterReader) -> PartSeen:
        release = reader.release(self.release, self.namespace)
        if release is None or release.status == "uninstalled":
            return ABSENT
        common: dict[str, Any] = {"version": release.version, "fields": self._fields(release)}
        if release.pending and not abandoned(release):
            removing = release.status == "uninstalling"
            return PartSeen(PartState.REMOVING if removing else PartState.MOVING, f"Helm says {release.status}", **common)
        if release.status != "deployed":
            message = f"The release {release.name} is {release.status}: {release.description}"
            fault = Fault("release_failed", message, "Turn it on again: the release is upgraded; or off: it is uninstalled.")
            return PartSeen(PartState.BROKEN, message, faults=(fault,), **common)
        mine = [item for item in reader.workloads if item.release == self.release]
        state, message, pods, ready_pods = judge(mine, (), nodes=reader.has_ready_node)
        common |= {"pods": pods, "ready_pods": ready_pods}
        if state is DependencyState.WAITS_FOR_NODES:
            return PartSeen(PartState.READY, message, waits_for_nodes=True, **common)
        return PartSeen(PartState.READY if state is DependencyState.ACTIVE else PartState.MOVING, message, **common)

    def _fields(self, release: Release) -> dict[str, Any]:
        fields: dict[str, Any] = {"status": "deployed" if release.status == "deployed" else release.status}
        if local_chart_version(self.chart):
            fields["version"] = release.version
        return fields

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        fields: dict[str, Any] = {"status": "deployed"}
        version = local_chart_version(self.chart) if self.chart else ""
        return {**fields, "version": version} if version else fields

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        """A release counts as one change. One that a dead driver left pending is undone before it is tried again."""
        reader = subject.reader()
        target = reader.target
        if target is None:
            raise RuntimeError("observe() saw an endpoint")
        helm, found = Helm(target), reader.release(self.release, self.namespace)
        if found is not None and found.pending:
            if found.revision > 1:
                helm.rollback(self.release, self.namespace, timeout=HELM_SECONDS)
            else:
                helm.uninstall(self.release, self.namespace, timeout=HELM_SECONDS)
            return Outcome(message="Undid a release that a dead driver had left pending")
        revision = helm.upgrade(self.release, self.chart, self.namespace, {}, HELM_SECONDS)
        return Outcome(revision, f"Helm deployed {self.release}")

    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        target = subject.reader().target
        if target is not None:
            Helm(target).uninstall(self.release, self.namespace, timeout=HELM_SECONDS)
        return Outcome(message=f"Helm uninstalled {self.release}")
