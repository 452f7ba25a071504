"""kube-proxy: service addresses on the nodes."""

from __future__ import annotations

from clusters.dependencies.addon import NAMESPACE, AddonDependency
from clusters.dependencies.entry import WorkloadName


class KubeProxy(AddonDependency):
    name = "kube-proxy"
    title = "kube-proxy"
    workloads = (WorkloadName("DaemonSet", NAMESPACE, "kube-proxy"),)
