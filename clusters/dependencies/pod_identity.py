"""EKS Pod Identity agent: roles for pods without an OIDC trust."""

from __future__ import annotations

from clusters.dependencies.addon import NAMESPACE, AddonDependency
from clusters.dependencies.entry import WorkloadName


class PodIdentityAgent(AddonDependency):
    name = "eks-pod-identity-agent"
    title = "EKS Pod Identity agent"
    workloads = (WorkloadName("DaemonSet", NAMESPACE, "eks-pod-identity-agent"),)
