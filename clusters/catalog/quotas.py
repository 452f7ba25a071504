"""Names of the service quotas that a cluster meets (reference/aws.md §8; VPC and EC2: AWS General Reference)."""

from __future__ import annotations

INSTANCES_PER_CLUSTER = "Maximum number instances allowed per SageMaker HyperPod cluster"
INSTANCES_ALL_CLUSTERS = "Total number of instances allowed across SageMaker HyperPod clusters"
SPOT_ALL_CLUSTERS = "Total number of Spot instances allowed across SageMaker HyperPod clusters"
VOLUME_SIZE = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance"

TRAINING_PLANS = "Number of training plans per Region"

VPCS = "VPCs per Region"
INTERNET_GATEWAYS = "Internet gateways per Region"
NAT_GATEWAYS = "NAT gateways per Availability Zone"
ADDRESSES = "EC2-VPC Elastic IPs"
EKS_CLUSTERS = "Clusters"


def reserved(instance_type: str) -> str:
    """How many instances of the type all training plans may reserve."""
    return f"Number of {instance_type} instances in reserved capacity across training plans per Region"


def cluster_usage(instance_type: str) -> str:
    """How many instances of the type all HyperPod clusters may have on demand ("ml.p5.48xlarge for cluster usage")."""
    return f"{instance_type} for cluster usage"


def cluster_spot_usage(instance_type: str) -> str:
    """The same for Spot."""
    return f"{instance_type} for cluster spot instance usage"
