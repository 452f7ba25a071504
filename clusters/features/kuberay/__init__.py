"""KubeRay: Ray clusters, jobs and services. EKS has no add-on of it, so it is a Helm release of the chart that a setting names."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings as project

from clusters import names
from clusters.dependencies.kuberay import CHART_MISSING
from clusters.features.entry import Chosen, Feature, FeatureSeen
from clusters.features.part import Part
from clusters.features.release import ReleasePart
from clusters.features.users import objects
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from operations.choices import Severity
from operations.plan import Check


class KubeRay(Feature):
    name = "kuberay"
    title = "KubeRay"
    summary = "Ray clusters, jobs and services in Kubernetes."
    source = "Helm release"
    chosen_by = "kuberay"

    def parts(self, spec: ResolvedSpec, settings: Chosen) -> list[Part]:
        return [ReleasePart(names.KUBERAY_RELEASE, names.KUBERAY_NAMESPACE, project.KUBERAY_CHART)]

    def checks(self, reader: ClusterReader, spec: ResolvedSpec, settings: Chosen, seen: FeatureSeen) -> Iterator[Check]:
        if not project.KUBERAY_CHART:
            yield Check(
                code="chart_missing",
                severity=Severity.ERROR,
                title=self.title,
                detail=CHART_MISSING,
                fix="Set INSTANTSTART_KUBERAY_CHART and start the control plane again.",
            )

    def users(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> list[str]:
        return [one for kind in ("RayCluster", "RayJob", "RayService") for one in objects(reader, "ray.io/v1", kind)]


FEATURE = KubeRay()
