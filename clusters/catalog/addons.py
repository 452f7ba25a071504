"""EKS add-ons that a cluster gets, for the checks and the plan; how they are installed is in clusters/dependencies."""

from __future__ import annotations

CORE = ("vpc-cni", "coredns", "kube-proxy", "eks-pod-identity-agent", "cert-manager", "aws-mountpoint-s3-csi-driver")
FSX = "aws-fsx-csi-driver"


def wanted(*, fsx: bool) -> tuple[str, ...]:
    """The add-ons of a cluster, in the order of their installation."""
    return (*CORE, FSX) if fsx else CORE
