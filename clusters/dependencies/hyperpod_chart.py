"""Device plugins for NVIDIA and EFA and HyperPod's health-monitoring agent: one chart, ours unless a setting names another."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from clusters import names
from clusters.dependencies.helm import HelmDependency
from clusters.resolved import ResolvedSpec


class HyperPodDependencies(HelmDependency):
    name = "hyperpod-dependencies"
    title = "device plugins and the health-monitoring agent"
    release = names.DEPENDENCIES_RELEASE
    namespace = names.DEPENDENCIES_RELEASE_NAMESPACE

    def values(self, spec: ResolvedSpec) -> dict[str, Any]:
        return {"region": spec.region}

    def chart(self) -> str:
        return str(settings.DEPENDENCIES_CHART)
