"""What a cluster needs inside before it can work: one registry, one entry a file, in the order of installation."""

from __future__ import annotations

from clusters.dependencies.cert_manager import CertManager
from clusters.dependencies.coredns import CoreDns
from clusters.dependencies.entry import DependencyEntry, DependencySeen
from clusters.dependencies.fsx_csi import FsxCsi
from clusters.dependencies.hyperpod_chart import HyperPodDependencies
from clusters.dependencies.kube_proxy import KubeProxy
from clusters.dependencies.kuberay import KubeRay
from clusters.dependencies.pod_identity import PodIdentityAgent
from clusters.dependencies.s3_csi import MountpointS3Csi
from clusters.dependencies.vpc_cni import VpcCni
from clusters.resolved import ResolvedSpec

REGISTRY: tuple[DependencyEntry, ...] = (
    VpcCni(),
    KubeProxy(),
    CoreDns(),
    PodIdentityAgent(),
    CertManager(),
    MountpointS3Csi(),
    FsxCsi(),
    HyperPodDependencies(),
    KubeRay(),
)

__all__ = ["REGISTRY", "DependencyEntry", "DependencySeen", "wanted"]


def wanted(spec: ResolvedSpec) -> tuple[DependencyEntry, ...]:
    """The entries that this cluster is to have, in order; of an imported one all that it may have."""
    return tuple(entry for entry in REGISTRY if spec.imported or entry.wanted(spec))
