"""Every name that we give in AWS and Kubernetes, derived from the cluster's name alone.

A derived name is what makes a repeated call harmless: the second call meets what the first one made.
"""

from __future__ import annotations

import hashlib

CONTROL_PLANE = "control-plane"
BUCKET_LIMIT = 63
LIFECYCLE_PREFIX = "lifecycle/"
SHARED_PREFIX = "shared/"

ADDON_NAMESPACE = "kube-system"
HYPERPOD_NAMESPACE = "aws-hyperpod"
STORAGE_NAMESPACE = "default"
S3_CSI_SERVICE_ACCOUNT = "s3-csi-driver-sa"
FSX_CSI_SERVICE_ACCOUNT = "fsx-csi-controller-sa"
FIELD_MANAGER = "instantstart"

DEPENDENCIES_RELEASE = "hyperpod-dependencies"
DEPENDENCIES_RELEASE_NAMESPACE = "kube-system"
KUBERAY_RELEASE = "kuberay-operator"
KUBERAY_NAMESPACE = "kuberay-operator"

NODE_POOL = "instantstart"
"""HyperpodNodeClass and NodePool of node autoscaling."""


def stack(cluster: str, part: str = CONTROL_PLANE) -> str:
    """CloudFormation stack (<= 128 characters)."""
    return f"instantstart-{cluster}-{part}"


def group_network(cluster: str, group: str) -> str:
    """Stack of the subnet that one instance group has to itself."""
    return stack(cluster, f"group-{group}")


def zone_network(cluster: str, zone: str) -> str:
    """Stack of the compute subnet of a zone other than that of the cluster's own."""
    return stack(cluster, f"zone-{zone}")


def network_prefixes(cluster: str) -> tuple[str, str]:
    """How the names of these stacks begin. A cluster's whose name begins with that of another may do so too: its tag tells."""
    return group_network(cluster, ""), zone_network(cluster, "")


def role(cluster: str, purpose: str) -> str:
    """IAM role (<= 64 characters: the cluster's name has at most 40, so a purpose has at most 10)."""
    if len(purpose) > 10:
        raise ValueError(f"a role's purpose has at most 10 characters, {purpose!r} has {len(purpose)}")
    return f"instantstart-{cluster}-{purpose}"


def launch_template(cluster: str, group: str) -> str:
    """Launch template of an EKS node group (<= 128 characters)."""
    return f"instantstart-{cluster}-{group}"


def eks_role(cluster: str) -> str:
    """Role of the EKS control plane."""
    return role(cluster, "eks")


def execution_role(cluster: str) -> str:
    """Role of HyperPod's instances."""
    return role(cluster, "execution")


def s3_csi_role(cluster: str) -> str:
    """Role of the Mountpoint S3 CSI driver's service account."""
    return role(cluster, "s3-csi")


def fsx_csi_role(cluster: str) -> str:
    """Role of the FSx CSI controller's service account."""
    return role(cluster, "fsx-csi")


def bucket(cluster: str, account: str, region: str) -> str:
    """The cluster's bucket. HyperPod's managed instance policy allows only names that start with `sagemaker-`.

    A name that would be longer than S3 allows (63) keeps the start of the cluster's name and a digest of the whole.
    """
    full = f"sagemaker-{cluster}-{account}-{region}"
    if len(full) <= BUCKET_LIMIT:
        return full
    digest = hashlib.sha256(full.encode()).hexdigest()[:8]
    tail = f"-{account}-{region}-{digest}"
    head = f"sagemaker-{cluster}"[: BUCKET_LIMIT - len(tail)].rstrip("-")
    return f"{head}{tail}"


def eks_log_group(cluster: str) -> str:
    """Where EKS writes the control plane's logs; EKS makes it again by itself when a late line comes after its deletion."""
    return f"/aws/eks/{cluster}/cluster"


def hyperpod_log_group_prefix(cluster: str) -> str:
    """HyperPod makes `<prefix><cluster id>` by itself, without tags."""
    return f"/aws/sagemaker/Clusters/{cluster}/"


def insights_log_group_prefix(cluster: str) -> str:
    """Container Insights makes `<prefix>application`, `<prefix>performance` … by itself, without tags."""
    return f"/aws/containerinsights/{cluster}/"


def scope(account: str, region: str) -> str:
    """What shares AWS's rate limits."""
    return f"{account}/{region}"


def volume(claim: str) -> str:
    """PersistentVolume of a claim."""
    return f"instantstart-{claim}"


def volume_handle(bucket_name: str, prefix: str, claim: str) -> str:
    """Unique per bucket, prefix and claim: a handle shared by two volumes breaks the second mount on a node."""
    digest = hashlib.sha256(f"{bucket_name}/{prefix}/{claim}".encode()).hexdigest()[:10]
    return f"{bucket_name}-{claim}-{digest}"


def storage_probe(claim: str) -> str:
    """Pod that proves that the claim mounts."""
    return f"instantstart-{claim}-probe"[:63].rstrip("-")


def lifecycle_prefix(checksum: str) -> str:
    """Key prefix of one version of the lifecycle scripts in the cluster's bucket."""
    return f"{LIFECYCLE_PREFIX}{checksum[:16]}/"
