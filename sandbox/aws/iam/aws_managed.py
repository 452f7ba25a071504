"""The AWS managed policies that the product and its services use.

Actions as AWS publishes them, cut down to what the sandbox simulates; where a whole service is allowed (`ec2:Describe*`) the pattern is
AWS's. Source: AWS managed policy reference; reference/aws.md §7.
"""

from __future__ import annotations

import json
from typing import Any

_EPOCH = 1423699200.0  # 2015-02-12: AWS's own have been there for long


def _allow(*actions: str, resource: str | list[str] = "*", condition: dict[str, Any] | None = None) -> dict[str, Any]:
    statement: dict[str, Any] = {"Effect": "Allow", "Action": list(actions), "Resource": resource}
    if condition:
        statement["Condition"] = condition
    return statement


_ECR_READ = (
    "ecr:GetAuthorizationToken",
    "ecr:BatchCheckLayerAvailability",
    "ecr:GetDownloadUrlForLayer",
    "ecr:GetRepositoryPolicy",
    "ecr:DescribeRepositories",
    "ecr:ListImages",
    "ecr:DescribeImages",
    "ecr:BatchGetImage",
)

_STATEMENTS: dict[str, list[dict[str, Any]]] = {
    "AdministratorAccess": [_allow("*")],
    "PowerUserAccess": [
        {"Effect": "Allow", "NotAction": ["iam:*", "organizations:*", "account:*"], "Resource": "*"},
        _allow("iam:CreateServiceLinkedRole", "iam:DeleteServiceLinkedRole", "iam:ListRoles", "organizations:DescribeOrganization"),
    ],
    "ReadOnlyAccess": [
        _allow(
            "cloudformation:Describe*",
            "cloudformation:Get*",
            "cloudformation:List*",
            "ec2:Describe*",
            "ec2:Get*",
            "eks:Describe*",
            "eks:List*",
            "iam:Get*",
            "iam:List*",
            "iam:Simulate*",
            "logs:Describe*",
            "logs:Get*",
            "s3:Get*",
            "s3:List*",
            "sagemaker:Describe*",
            "sagemaker:List*",
            "servicequotas:Get*",
            "servicequotas:List*",
            "sts:GetCallerIdentity",
            "tag:Get*",
        )
    ],
    "AmazonEKSClusterPolicy": [
        _allow(
            "autoscaling:DescribeAutoScalingGroups",
            "autoscaling:UpdateAutoScalingGroup",
            "ec2:AttachVolume",
            "ec2:AuthorizeSecurityGroupIngress",
            "ec2:CreateRoute",
            "ec2:CreateSecurityGroup",
            "ec2:CreateTags",
            "ec2:CreateVolume",
            "ec2:DeleteRoute",
            "ec2:DeleteSecurityGroup",
            "ec2:DeleteVolume",
            "ec2:Describe*",
            "ec2:DetachVolume",
            "ec2:ModifyInstanceAttribute",
            "ec2:ModifyVolume",
            "ec2:RevokeSecurityGroupIngress",
            "elasticloadbalancing:*",
            "kms:DescribeKey",
        ),
        _allow("iam:CreateServiceLinkedRole", condition={"StringEquals": {"iam:AWSServiceName": "elasticloadbalancing.amazonaws.com"}}),
    ],
    "AmazonEKSVPCResourceController": [
        _allow("ec2:CreateNetworkInterfacePermission"),
        _allow(
            "ec2:CreateNetworkInterface",
            "ec2:DetachNetworkInterface",
            "ec2:ModifyNetworkInterfaceAttribute",
            "ec2:DeleteNetworkInterface",
            "ec2:AttachNetworkInterface",
            "ec2:UnassignPrivateIpAddresses",
            "ec2:AssignPrivateIpAddresses",
        ),
    ],
    "AmazonEKSServicePolicy": [_allow("ec2:Describe*", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface", "logs:*")],
    "AmazonEKSWorkerNodePolicy": [
        _allow(
            "ec2:DescribeInstances",
            "ec2:DescribeInstanceTypes",
            "ec2:DescribeRouteTables",
            "ec2:DescribeSecurityGroups",
            "ec2:DescribeSubnets",
            "ec2:DescribeVolumes",
            "ec2:DescribeVolumesModifications",
            "ec2:DescribeVpcs",
            "eks:DescribeCluster",
            "eks-auth:AssumeRoleForPodIdentity",
        )
    ],
    "AmazonEKS_CNI_Policy": [
        _allow(
            "ec2:AssignPrivateIpAddresses",
            "ec2:AttachNetworkInterface",
            "ec2:CreateNetworkInterface",
            "ec2:DeleteNetworkInterface",
            "ec2:DescribeInstances",
            "ec2:DescribeTags",
            "ec2:DescribeNetworkInterfaces",
            "ec2:DescribeInstanceTypes",
            "ec2:DescribeSubnets",
            "ec2:DetachNetworkInterface",
            "ec2:ModifyNetworkInterfaceAttribute",
            "ec2:UnassignPrivateIpAddresses",
        ),
        _allow("ec2:CreateTags", resource="arn:aws:ec2:*:*:network-interface/*"),
    ],
    "AmazonEC2ContainerRegistryReadOnly": [_allow(*_ECR_READ)],
    "AmazonEC2ContainerRegistryPullOnly": [
        _allow("ecr:GetAuthorizationToken", "ecr:BatchCheckLayerAvailability", "ecr:GetDownloadUrlForLayer", "ecr:BatchGetImage")
    ],
    "AmazonSSMManagedInstanceCore": [_allow("ssm:UpdateInstanceInformation", "ssm:GetParameter", "ssmmessages:*", "ec2messages:*")],
    "AmazonFSxFullAccess": [_allow("fsx:*", "ec2:Describe*"), _allow("iam:CreateServiceLinkedRole")],
    "AmazonS3ReadOnlyAccess": [_allow("s3:Get*", "s3:List*", "s3:Describe*")],
    "AmazonS3FullAccess": [_allow("s3:*", "s3-object-lambda:*")],
    "CloudWatchAgentServerPolicy": [_allow("cloudwatch:PutMetricData", "logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents")],
    "AmazonSageMakerClusterInstanceRolePolicy": [
        _allow(
            "logs:PutLogEvents",
            "logs:CreateLogStream",
            "logs:DescribeLogStreams",
            resource="arn:aws:logs:*:*:log-group:/aws/sagemaker/Clusters/*",
        ),
        _allow("logs:CreateLogGroup", resource="arn:aws:logs:*:*:log-group:/aws/sagemaker/Clusters/*"),
        _allow("cloudwatch:PutMetricData", condition={"StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/Clusters"}}),
        _allow("s3:ListBucket", "s3:GetObject", resource=["arn:aws:s3:::sagemaker-*"]),
        _allow(
            "ssmmessages:CreateControlChannel",
            "ssmmessages:CreateDataChannel",
            "ssmmessages:OpenControlChannel",
            "ssmmessages:OpenDataChannel",
        ),
    ],
    "AmazonSageMakerHyperPodTrainingOperatorAccess": [_allow("sagemaker:DescribeClusterNode"), _allow("sagemaker:ListClusterNodes")],
    "AmazonSageMakerHyperPodInferenceAccess": [
        _allow("s3:GetObject", "s3:PutObject", "sagemaker:*Endpoint*", "sagemaker:*Model*", "elasticloadbalancing:*")
    ],
    "AmazonSageMakerFullAccess": [_allow("sagemaker:*"), _allow("ec2:Describe*", "ecr:*", "logs:*", "cloudwatch:*", "s3:*")],
}
_SERVICE_ROLE: dict[str, list[dict[str, Any]]] = {
    "AmazonEBSCSIDriverPolicy": [
        _allow("ec2:CreateSnapshot", "ec2:AttachVolume", "ec2:DetachVolume", "ec2:CreateVolume", "ec2:DeleteVolume", "ec2:Describe*")
    ],
}
_LINKED: dict[str, list[dict[str, Any]]] = {
    "AmazonSageMakerHyperPodServiceRolePolicy": [
        _allow("eks:DescribeCluster", "eks:ListAssociatedAccessPolicies", "eks:DescribeAccessEntry"),
        _allow(
            "logs:CreateLogGroup",
            "logs:CreateLogStream",
            "logs:PutLogEvents",
            resource="arn:aws:logs:*:*:log-group:/aws/sagemaker/Clusters/*",
        ),
        _allow("ec2:Describe*", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface", "ec2:CreateNetworkInterfacePermission"),
    ],
    "AmazonEKSServiceRolePolicy": [
        _allow("ec2:*NetworkInterface*", "ec2:Describe*", "ec2:CreateSecurityGroup", "ec2:CreateTags", "logs:*")
    ],
    "AWSNATGatewayServiceRolePolicy": [_allow("ec2:Describe*")],
    "AWSElasticLoadBalancingServiceRolePolicy": [_allow("ec2:*NetworkInterface*", "ec2:Describe*", "ec2:*SecurityGroup*")],
}

POLICIES: dict[str, list[dict[str, Any]]] = {
    **{f"arn:aws:iam::aws:policy/{name}": statements for name, statements in _STATEMENTS.items()},
    **{f"arn:aws:iam::aws:policy/service-role/{name}": statements for name, statements in _SERVICE_ROLE.items()},
    **{f"arn:aws:iam::aws:policy/aws-service-role/{name}": statements for name, statements in _LINKED.items()},
}


def document(arn: str) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": POLICIES[arn]})


def record(arn: str) -> dict[str, Any]:
    """The policy as a record like the account's own."""
    path, _, name = arn.removeprefix("arn:aws:iam::aws:policy").rpartition("/")
    return {
        "PolicyName": name,
        "PolicyId": "ANPA" + name.upper().replace("_", "")[:17].ljust(17, "X"),
        "Arn": arn,
        "Path": f"{path}/",
        "DefaultVersionId": "v1",
        "PermissionsBoundaryUsageCount": 0,
        "IsAttachable": True,
        "CreateDate": _EPOCH,
        "UpdateDate": _EPOCH,
        "Tags": [],
        "versions": {"v1": {"Document": document(arn), "CreateDate": _EPOCH}},
    }
