"""Which resources a call is about, by its parameters and its answer: type and name, as CloudTrail lists them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TYPES: dict[str, dict[str, str]] = {
    "cloudformation": {"StackName": "AWS::CloudFormation::Stack", "StackId": "AWS::CloudFormation::Stack"},
    "ec2": {
        "AllocationId": "AWS::EC2::EIP",
        "GroupId": "AWS::EC2::SecurityGroup",
        "InternetGatewayId": "AWS::EC2::InternetGateway",
        "NatGatewayId": "AWS::EC2::NatGateway",
        "NetworkInterfaceId": "AWS::EC2::NetworkInterface",
        "RouteTableId": "AWS::EC2::RouteTable",
        "SubnetId": "AWS::EC2::Subnet",
        "VpcEndpointId": "AWS::EC2::VPCEndpoint",
        "VpcId": "AWS::EC2::VPC",
    },
    "eks": {
        "addonName": "AWS::EKS::Addon",
        "clusterName": "AWS::EKS::Cluster",
        "nodegroupName": "AWS::EKS::Nodegroup",
        "resourceArn": "AWS::EKS::Cluster",
    },
    "iam": {
        "InstanceProfileName": "AWS::IAM::InstanceProfile",
        "PolicyArn": "AWS::IAM::Policy",
        "RoleName": "AWS::IAM::Role",
        "UserName": "AWS::IAM::User",
    },
    "logs": {"logGroupName": "AWS::Logs::LogGroup"},
    "s3": {"Bucket": "AWS::S3::Bucket"},
    "sagemaker": {
        "ClusterArn": "AWS::SageMaker::Cluster",
        "ClusterName": "AWS::SageMaker::Cluster",
        "ResourceArn": "AWS::SageMaker::Cluster",
        "TrainingPlanArn": "AWS::SageMaker::TrainingPlan",
        "TrainingPlanName": "AWS::SageMaker::TrainingPlan",
    },
}
_EKS_ON_CLUSTERS = {"name": "AWS::EKS::Cluster"}
"""EKS's operations on clusters call them `name`."""


def names_of(service: str, params: dict[str, Any], result: dict[str, Any]) -> list[dict[str, str]]:
    """[{ResourceType, ResourceName}], each once."""
    types = dict(_TYPES.get(service, {}))
    if service == "eks":
        types |= _EKS_ON_CLUSTERS
    answers = [result, *(value for value in result.values() if isinstance(value, dict))]
    found = [*_named(types, params), *(pair for answer in answers for pair in _named(types, answer))]
    if service == "ec2":
        found += [("AWS::EC2::Resource", str(one)) for one in params.get("Resources") or ()]
    if service == "resourcegroupstaggingapi":
        found += [("AWS::Resource", str(one)) for one in params.get("ResourceARNList") or ()]
    return [{"ResourceType": kind, "ResourceName": name} for kind, name in dict.fromkeys(found)]


def _named(types: dict[str, str], values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for member, kind in types.items():
        value = values.get(member)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one:
                yield kind, one
