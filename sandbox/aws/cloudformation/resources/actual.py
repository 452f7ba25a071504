"""What is really there of a stack's resource, in the words of its template: for drift detection.

Types that are not here are not checked, as AWS does with types that do not support drift detection.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from sandbox.aws.cloudformation.resources.base import Properties, Work

Reader = Callable[[Work], Properties]


def _vpc(work: Work) -> Properties:
    vpc = work.call("ec2", "DescribeVpcs", {"VpcIds": [work.physical_id]})["Vpcs"][0]
    found: Properties = {"CidrBlock": vpc["CidrBlock"], "InstanceTenancy": vpc.get("InstanceTenancy", "default")}
    for member, attribute in (("EnableDnsSupport", "enableDnsSupport"), ("EnableDnsHostnames", "enableDnsHostnames")):
        told = work.call("ec2", "DescribeVpcAttribute", {"VpcId": work.physical_id, "Attribute": attribute})
        found[member] = told[member]["Value"]
    return found | _tagged(vpc)


def _subnet(work: Work) -> Properties:
    subnet = work.call("ec2", "DescribeSubnets", {"SubnetIds": [work.physical_id]})["Subnets"][0]
    members = ("VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId", "MapPublicIpOnLaunch")
    return {member: subnet.get(member) for member in members} | _tagged(subnet)


def _role(work: Work) -> Properties:
    name = {"RoleName": work.physical_id}
    role = work.call("iam", "GetRole", name)["Role"]
    inline = work.call("iam", "ListRolePolicies", name)["PolicyNames"]
    policies = [
        {"PolicyName": one, "PolicyDocument": _document(work.call("iam", "GetRolePolicy", {**name, "PolicyName": one})["PolicyDocument"])}
        for one in inline
    ]
    attached = work.call("iam", "ListAttachedRolePolicies", name)["AttachedPolicies"]
    return {
        "RoleName": role["RoleName"],
        "Path": role["Path"],
        "AssumeRolePolicyDocument": _document(role["AssumeRolePolicyDocument"]),
        "Description": role.get("Description", ""),
        "MaxSessionDuration": role.get("MaxSessionDuration", 3600),
        "ManagedPolicyArns": [one["PolicyArn"] for one in attached],
        "Policies": policies,
    } | _tagged(role)


def _log_group(work: Work) -> Properties:
    found = work.call("logs", "DescribeLogGroups", {"logGroupNamePrefix": work.physical_id})["logGroups"]
    group = next((one for one in found if one["logGroupName"] == work.physical_id), None)
    if group is None:
        raise Gone
    actual: Properties = {"LogGroupName": group["logGroupName"]}
    if group.get("retentionInDays") is not None:
        actual["RetentionInDays"] = group["retentionInDays"]
    return actual


def _eks_cluster(work: Work) -> Properties:
    cluster = work.call("eks", "DescribeCluster", {"name": work.physical_id})["cluster"]
    enabled = [
        kind for one in (cluster.get("logging") or {}).get("clusterLogging") or [] if one.get("enabled") for kind in one.get("types") or []
    ]
    network = cluster["resourcesVpcConfig"]
    members = ("SubnetIds", "SecurityGroupIds", "EndpointPublicAccess", "EndpointPrivateAccess", "PublicAccessCidrs")
    return {
        "Name": cluster["name"],
        "Version": cluster["version"],
        "RoleArn": cluster["roleArn"],
        "ResourcesVpcConfig": {member: network.get(member[0].lower() + member[1:]) for member in members},
        "Logging": {"ClusterLogging": {"EnabledTypes": [{"Type": kind} for kind in enabled]}},
        "DeletionProtection": cluster.get("deletionProtection", False),
    }


def _tagged(described: dict[str, Any]) -> Properties:
    """The tags that people see: AWS's own are no part of a template."""
    return {"Tags": [tag for tag in described.get("Tags") or [] if not tag["Key"].startswith("aws:")]}


def _document(value: Any) -> Any:
    return json.loads(unquote(value)) if isinstance(value, str) else value


class Gone(Exception):
    """The resource is not there any more."""


READERS: dict[str, Reader] = {
    "AWS::EC2::VPC": _vpc,
    "AWS::EC2::Subnet": _subnet,
    "AWS::EKS::Cluster": _eks_cluster,
    "AWS::IAM::Role": _role,
    "AWS::Logs::LogGroup": _log_group,
}
