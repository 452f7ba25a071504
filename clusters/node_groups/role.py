"""The role of a cluster's nodes in EKS node groups: made with the first group, shared by all, gone with the cluster.

Three managed policies are usual (AmazonEKSWorkerNodePolicy, AmazonEKS_CNI_Policy, AmazonEC2ContainerRegistryPullOnly); these
statements are what they hold and no more, with writes kept to interfaces of this account and region, and without S3.
"""

from __future__ import annotations

from typing import Any

from clusters import names
from clusters.features.role import PolicyPart, RolePart, role_arn
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.template.policies import allow, policy

PURPOSE = "node"


def arn(spec: ResolvedSpec) -> str:
    return role_arn(spec, names.role(spec.name, PURPOSE))


def role_part(spec: ResolvedSpec) -> RolePart:
    return RolePart(spec, PURPOSE, _trust, f"EKS nodes of {spec.name}", key="node-role")


def policy_part(spec: ResolvedSpec) -> PolicyPart:
    return PolicyPart(role_part(spec), statements(spec), key="node-policy")


def _trust(reader: ClusterReader, spec: ResolvedSpec) -> dict[str, Any]:
    return policy({"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"})


def statements(spec: ResolvedSpec) -> list[dict[str, Any]]:
    """What a node itself and the VPC CNI on it do."""
    here = f"arn:{spec.partition}:ec2:{spec.region}:{spec.account}"
    cluster = f"arn:{spec.partition}:eks:{spec.region}:{spec.account}:cluster/{spec.eks}"
    interface = f"{here}:network-interface/*"
    return [
        allow(
            [
                "ec2:DescribeInstances",
                "ec2:DescribeInstanceTypes",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeRouteTables",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeTags",
                "ec2:DescribeVolumes",
                "ec2:DescribeVolumesModifications",
                "ec2:DescribeVpcs",
                "ecr:GetAuthorizationToken",
            ],
            "*",
            sid="ReadsWithoutResource",
        ),
        allow(["eks:DescribeCluster"], cluster, sid="ItsCluster"),
        allow(["eks-auth:AssumeRoleForPodIdentity"], cluster, sid="PodIdentity"),
        allow(
            [
                "ec2:AssignPrivateIpAddresses",
                "ec2:DeleteNetworkInterface",
                "ec2:UnassignPrivateIpAddresses",
            ],
            interface,
            sid="Interfaces",
        ),
        allow(["ec2:CreateNetworkInterface"], [interface, f"{here}:subnet/*", f"{here}:security-group/*"], sid="NewInterfaces"),
        allow(
            ["ec2:AttachNetworkInterface", "ec2:DetachNetworkInterface", "ec2:ModifyNetworkInterfaceAttribute"],
            [interface, f"{here}:instance/*", f"{here}:security-group/*"],
            sid="AttachedInterfaces",
        ),
        allow(["ec2:CreateTags"], interface, sid="TagInterfaces"),
        # Images of EKS's add-ons are in AWS's accounts.
        allow(
            ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            f"arn:{spec.partition}:ecr:{spec.region}:*:repository/*",
            sid="PullImages",
        ),
    ]
