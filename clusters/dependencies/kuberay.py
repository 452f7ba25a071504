"""The KubeRay operator, where Ray is wanted. Its chart is named by a setting: the sandbox's network has none to fetch."""

from __future__ import annotations

from django.conf import settings

from clusters import names
from clusters.dependencies.helm import HelmDependency
from clusters.resolved import ResolvedSpec

CHART_MISSING = (
    "KubeRay's chart is not part of InstantStart: set INSTANTSTART_KUBERAY_CHART to a folder, an archive or an oci:// reference "
    "that this machine can reach."
)


class KubeRay(HelmDependency):
    name = "kuberay-operator"
    title = "the KubeRay operator"
    release = names.KUBERAY_RELEASE
    namespace = names.KUBERAY_NAMESPACE

    def wanted(self, spec: ResolvedSpec) -> bool:
        return spec.kuberay

    def chart(self) -> str:
        return settings.KUBERAY_CHART
