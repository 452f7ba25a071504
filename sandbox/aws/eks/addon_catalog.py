"""The add-ons EKS offers: versions, which Kubernetes versions they suit, what they bring.

HyperPod's add-ons and CSI drivers: reference/aws.md §2.3 (survey of October 2026). The other versions are plausible for Kubernetes
1.36 but were not looked up; the newest of each is the default, as EKS does for most add-ons.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class PodIdentity:
    """A service account of the add-on that needs a role, and the managed policies EKS recommends for it."""

    service_account: str
    policies: tuple[str, ...]


@dataclass(frozen=True)
class Addon:
    name: str
    kind: str  # EKS's `type`: "networking", "storage", "observability" …
    versions: tuple[tuple[str, int, int], ...]  # (version, oldest, newest Kubernetes minor), newest version first
    namespace: str
    publisher: str = "eks"
    owner: str = "aws"
    identities: tuple[PodIdentity, ...] = ()
    settings: tuple[str, ...] = ()  # top-level configuration keys besides those every add-on has
    needs: tuple[str, ...] = field(default=())  # add-ons that must be there first

    def suiting(self, minor: int) -> list[str]:
        return [version for version, oldest, newest in self.versions if oldest <= minor <= newest]

    def default(self, minor: int) -> str | None:
        return next(iter(self.suiting(minor)), None)


COMMON_SETTINGS = ("affinity", "nodeSelector", "podAnnotations", "podLabels", "replicaCount", "resources", "tolerations")

ADDONS: dict[str, Addon] = {
    addon.name: addon
    for addon in (
        Addon(
            "vpc-cni",
            "networking",
            (("v1.21.1-eksbuild.1", 30, 36), ("v1.20.4-eksbuild.2", 29, 36), ("v1.19.6-eksbuild.7", 28, 35)),
            "kube-system",
            identities=(PodIdentity("aws-node", ("arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy",)),),
            settings=("enableNetworkPolicy", "enableWindowsIpam", "env", "eniConfig", "init", "nodeAgent"),
        ),
        Addon(
            "coredns",
            "networking",
            (("v1.13.1-eksbuild.1", 33, 36), ("v1.12.4-eksbuild.1", 32, 36), ("v1.11.4-eksbuild.24", 29, 34)),
            "kube-system",
            settings=("autoScaling", "computeType", "corefile", "podDisruptionBudget", "topologySpreadConstraints"),
        ),
        Addon(
            "kube-proxy",
            "networking",
            (("v1.36.0-eksbuild.2", 36, 36), ("v1.35.2-eksbuild.2", 35, 36), ("v1.34.1-eksbuild.2", 34, 36)),
            "kube-system",
            settings=("ipvs", "mode"),
        ),
        Addon(
            "eks-pod-identity-agent",
            "security",
            (("v1.4.0-eksbuild.1", 28, 36), ("v1.3.10-eksbuild.1", 28, 36)),
            "kube-system",
            settings=("agent", "priorityClassName", "updateStrategy"),
        ),
        Addon(
            "cert-manager",
            "security",
            (("v1.19.1-eksbuild.1", 31, 36), ("v1.18.3-eksbuild.1", 30, 36)),
            "cert-manager",
            owner="community",
            settings=("cainjector", "crds", "webhook"),
        ),
        Addon(
            "aws-mountpoint-s3-csi-driver",
            "storage",
            (("v2.8.0-eksbuild.1", 30, 36), ("v2.2.1-eksbuild.1", 29, 36), ("v1.15.0-eksbuild.1", 28, 34)),
            "kube-system",
            publisher="s3",
            identities=(PodIdentity("s3-csi-driver-sa", ("arn:aws:iam::aws:policy/AmazonS3FullAccess",)),),
            settings=("experimental", "node"),
        ),
        Addon(
            "aws-fsx-csi-driver",
            "storage",
            (("v1.10.0-eksbuild.1", 30, 36), ("v1.7.0-eksbuild.1", 28, 36)),
            "kube-system",
            identities=(PodIdentity("fsx-csi-controller-sa", ("arn:aws:iam::aws:policy/AmazonFSxFullAccess",)),),
            settings=("controller", "node", "sidecars"),
        ),
        Addon(
            "aws-ebs-csi-driver",
            "storage",
            (("v1.55.0-eksbuild.1", 30, 36), ("v1.51.0-eksbuild.1", 28, 36)),
            "kube-system",
            identities=(PodIdentity("ebs-csi-controller-sa", ("arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy",)),),
            settings=("controller", "node", "sidecars", "defaultStorageClass"),
        ),
        Addon(
            "metrics-server",
            "observability",
            (("v0.8.0-eksbuild.5", 29, 36), ("v0.7.2-eksbuild.5", 28, 35)),
            "kube-system",
            owner="community",
            settings=("addonResizer", "replicas", "updateStrategy"),
        ),
        Addon(
            "amazon-cloudwatch-observability",
            "observability",
            (("v4.7.0-eksbuild.1", 29, 36), ("v4.5.0-eksbuild.1", 28, 36)),
            "amazon-cloudwatch",
            identities=(PodIdentity("cloudwatch-agent", ("arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy",)),),
            settings=("agent", "containerLogs", "manager"),
        ),
        Addon(
            "amazon-sagemaker-hyperpod-training-operator",
            "machine-learning",
            (("v1.3.0-eksbuild.1", 31, 36), ("v1.2.0-eksbuild.1", 29, 35)),
            "aws-hyperpod",
            identities=(
                PodIdentity(
                    "hp-training-operator-controller-manager",
                    ("arn:aws:iam::aws:policy/AmazonSageMakerHyperPodTrainingOperatorAccess",),
                ),
            ),
            settings=("hpTrainingControllerManager",),
            needs=("cert-manager", "eks-pod-identity-agent"),
        ),
        Addon(
            "amazon-sagemaker-hyperpod-taskgovernance",
            "machine-learning",
            (("v1.6.1-eksbuild.1", 31, 36), ("v1.3.0-eksbuild.1", 30, 35)),
            "kueue-system",
            settings=("kueue",),
        ),
        Addon(
            "amazon-sagemaker-hyperpod-observability",
            "observability",
            (("v1.2.0-eksbuild.3", 32, 37), ("v1.0.4-eksbuild.1", 30, 35)),
            "hyperpod-observability",
            identities=(
                PodIdentity(
                    "hyperpod-observability-operator-otel-collector", ("arn:aws:iam::aws:policy/AmazonPrometheusRemoteWriteAccess",)
                ),
            ),
            settings=("amgWorkspace", "ampWorkspace", "metricsProvider", "logging"),
            needs=("eks-pod-identity-agent",),
        ),
        Addon(
            "amazon-sagemaker-hyperpod-inference",
            "machine-learning",
            (("v2.1.0-eksbuild.1", 32, 37), ("v1.0.0-eksbuild.1", 30, 34)),
            "hyperpod-inference-system",
            settings=(
                "alb",
                "executionRoleArn",
                "hyperpodClusterArn",
                "jumpstartGatedModelDownloadRoleArn",
                "keda",
                "tlsCertificateS3Bucket",
            ),
            needs=("aws-mountpoint-s3-csi-driver", "aws-fsx-csi-driver", "metrics-server", "cert-manager"),
        ),
    )
}


def minor_of(version: str) -> int:
    """36 of "1.36"."""
    return int(version.partition(".")[2])
