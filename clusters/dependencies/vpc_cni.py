"""Amazon VPC CNI: pod addresses. HyperPod needs 1.18.3 or newer."""

from __future__ import annotations

from clusters.dependencies.addon import NAMESPACE, AddonDependency
from clusters.dependencies.entry import WorkloadName


class VpcCni(AddonDependency):
    name = "vpc-cni"
    title = "Amazon VPC CNI"
    workloads = (WorkloadName("DaemonSet", NAMESPACE, "aws-node"),)
