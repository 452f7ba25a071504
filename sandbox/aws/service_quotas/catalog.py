"""The quotas that an account starts with, by their names: codes differ between sources (reference/aws.md §8), so look up by name.

Values are those of an account whose quotas were raised enough to play with; `default` is AWS's own where it is documented.
Sources: reference/aws.md §8 for SageMaker, the AWS General Reference (pages "Amazon VPC", "Amazon EC2", "Amazon EKS", "IAM",
"CloudFormation" and "S3 endpoints and quotas") for the others.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

from sandbox.aws import models

SERVICES = {
    "cloudformation": "AWS CloudFormation",
    "ec2": "Amazon Elastic Compute Cloud (Amazon EC2)",
    "eks": "Amazon Elastic Kubernetes Service (Amazon EKS)",
    "iam": "AWS Identity and Access Management (IAM)",
    "s3": "Amazon Simple Storage Service (Amazon S3)",
    "sagemaker": "Amazon SageMaker",
    "vpc": "Amazon Virtual Private Cloud (Amazon VPC)",
}


@dataclass(frozen=True)
class Quota:
    service: str
    code: str
    name: str
    value: float
    default: float
    adjustable: bool = True
    everywhere: bool = False  # one value for all regions


_FIXED = (
    Quota("cloudformation", "L-0485CB21", "Stack count", 2000, 2000),
    Quota("ec2", "L-0263D0A3", "EC2-VPC Elastic IPs", 50, 5),
    Quota("ec2", "L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", 512, 5),
    Quota("ec2", "L-34B43A08", "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests", 512, 5),
    Quota("ec2", "L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests", 768, 0),
    Quota("ec2", "L-3819A6DF", "All G and VT Spot Instance Requests", 384, 0),
    Quota("ec2", "L-2C3B7624", "Running On-Demand Trn instances", 512, 0),
    Quota("ec2", "L-6B0D517C", "All Trn Spot Instance Requests", 512, 0),
    Quota("ec2", "L-417A185B", "Running On-Demand P instances", 1536, 0),
    Quota("ec2", "L-DB2E81BA", "Running On-Demand G and VT instances", 768, 0),
    Quota("eks", "L-1194D53C", "Clusters", 100, 100),
    Quota("eks", "L-BD136A63", "Nodes per managed node group", 450, 450),
    Quota("eks", "L-6D54EA21", "Managed node groups per cluster", 30, 30),
    Quota("iam", "L-FE177D64", "Roles per account", 1000, 1000, everywhere=True),
    Quota("iam", "L-858F3967", "OpenId connect providers per account", 100, 100, everywhere=True),
    Quota("s3", "L-DC2B2D3D", "General purpose buckets", 10_000, 10_000, everywhere=True),
    Quota("vpc", "L-F678F1CE", "VPCs per Region", 50, 5),
    Quota("vpc", "L-407747CB", "Subnets per VPC", 200, 200),
    Quota("vpc", "L-A4707A72", "Internet gateways per Region", 50, 5),
    Quota("vpc", "L-FE5A380F", "NAT gateways per Availability Zone", 50, 5),
    Quota("vpc", "L-DF5E4CA3", "Network interfaces per Region", 5000, 5000),
    Quota("vpc", "L-589F43AA", "Route tables per VPC", 200, 200),
    Quota("vpc", "L-93826ACB", "Routes per route table", 500, 500),
    Quota("vpc", "L-E79EC296", "VPC security groups per Region", 2500, 2500),
    Quota("vpc", "L-0EA8095F", "Inbound or outbound rules per security group", 60, 60),
    Quota("vpc", "L-2AFB9258", "Security groups per network interface", 5, 5),
    Quota("vpc", "L-83CA0A9D", "IPv4 CIDR blocks per VPC", 5, 5),
    Quota("vpc", "L-1B52E74A", "Gateway VPC endpoints per Region", 20, 20),
    Quota("vpc", "L-29B6F2EB", "Interface VPC endpoints per VPC", 50, 50),
    Quota("sagemaker", "L-2CE978FC", "Maximum number instances allowed per SageMaker HyperPod cluster", 512, 20),
    Quota("sagemaker", "L-3308CCC7", "Total number of instances allowed across SageMaker HyperPod clusters", 1024, 30),
    Quota("sagemaker", "L-97A2C724", "Total number of Spot instances allowed across SageMaker HyperPod clusters", 256, 0),
    Quota("sagemaker", "L-E13DF72A", "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance", 1024, 1024),
    Quota("sagemaker", "L-867702E6", "Number of training plans per Region", 25, 25),
)
# Surveyed codes (reference/aws.md §8); those of other names are made up, but always the same.
_CODES = {
    "ml.p4d.24xlarge for cluster usage": "L-47E0BC8F",
    "ml.p4de.24xlarge for cluster usage": "L-BEF3120E",
    "ml.p5.48xlarge for cluster usage": "L-8762A75F",
    "ml.p5e.48xlarge for cluster usage": "L-FD431820",
    "ml.p5en.48xlarge for cluster usage": "L-6EF3AE05",
    "ml.p6-b200.48xlarge for cluster usage": "L-44097F05",
    "ml.p6-b300.48xlarge for cluster usage": "L-9883FE68",
    "ml.p6e-gb200.36xlarge for cluster usage": "L-5DB70460",
    "ml.g6e.12xlarge for cluster usage": "L-A15DF696",
    "ml.g6e.48xlarge for cluster usage": "L-177AF1AD",
    "ml.p5.48xlarge for cluster spot instance usage": "L-F742E2D7",
    "Number of ml.p5.48xlarge instances in reserved capacity across training plans per Region": "L-9EF527CA",
}
_ACCELERATED = ("ml.p", "ml.g", "ml.trn", "ml.inf")
_ACCELERATED_VALUE, _PLAIN_VALUE, _RESERVED_VALUE = 16.0, 100.0, 64.0


@cache
def quotas(service: str) -> tuple[Quota, ...]:
    """All quotas of a service, by name; () for a service that has none here."""
    found = [quota for quota in _FIXED if quota.service == service]
    if service == "sagemaker":
        found += _cluster_quotas()
    return tuple(sorted(found, key=lambda quota: quota.name))


def find(service: str, code: str) -> Quota | None:
    return next((quota for quota in quotas(service) if quota.code == code), None)


def _cluster_quotas() -> list[Quota]:
    """For each instance type of HyperPod, as SageMaker's own model lists them."""
    found = []
    for instance_type in models.service("sagemaker").shape_for("ClusterInstanceType").metadata["enum"]:
        value = _ACCELERATED_VALUE if instance_type.startswith(_ACCELERATED) else _PLAIN_VALUE
        for name, amount in (
            (f"{instance_type} for cluster usage", value),
            (f"{instance_type} for cluster spot instance usage", value),
            (f"Number of {instance_type} instances in reserved capacity across training plans per Region", _RESERVED_VALUE),
        ):
            found.append(Quota("sagemaker", _code(name), name, amount, 0))
    return found


def _code(name: str) -> str:
    return _CODES.get(name) or "L-" + hashlib.sha256(name.encode()).hexdigest()[:8].upper()
