"""The metrics server: pods' and nodes' CPU and memory, for autoscalers and `kubectl top`."""

from __future__ import annotations

from clusters import names
from clusters.dependencies.entry import WorkloadName
from clusters.features.addon import AddonFeature


class MetricsServer(AddonFeature):
    name = "metrics_server"
    title = "Metrics server"
    summary = "CPU and memory of pods and nodes, for horizontal autoscaling and kubectl top."
    addon = "metrics-server"
    workloads = (WorkloadName("Deployment", names.ADDON_NAMESPACE, "metrics-server"),)


FEATURE = MetricsServer()
