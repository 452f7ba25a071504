"""CoreDNS: names inside the cluster."""

from __future__ import annotations

from clusters.dependencies.addon import NAMESPACE, AddonDependency
from clusters.dependencies.entry import WorkloadName


class CoreDns(AddonDependency):
    name = "coredns"
    title = "CoreDNS"
    workloads = (WorkloadName("Deployment", NAMESPACE, "coredns"),)
