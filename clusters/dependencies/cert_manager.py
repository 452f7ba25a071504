"""cert-manager: certificates for the webhooks of HyperPod's operators, so it comes before them."""

from __future__ import annotations

from clusters.dependencies.addon import AddonDependency
from clusters.dependencies.entry import WorkloadName

CERT_MANAGER_NAMESPACE = "cert-manager"


class CertManager(AddonDependency):
    name = "cert-manager"
    title = "cert-manager"
    workloads = tuple(
        WorkloadName("Deployment", CERT_MANAGER_NAMESPACE, name)
        for name in ("cert-manager", "cert-manager-cainjector", "cert-manager-webhook")
    )
