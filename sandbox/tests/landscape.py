"""An account with what EKS and HyperPod clusters need: a VPC, subnets in two zones, a security group, roles. For tests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.aws import models
from sandbox.aws.errors import AWSError
from sandbox.testing import call
from sandbox.tests.conformity import departures
from sandbox.world import World


class Landscape:
    """`region` is the sandbox's default; subnets `wide` (/20, zone a) and `other` (/24, zone b) are in one VPC."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.region = world.settings.region
        self.vpc: str = self.call("ec2", "CreateVpc", CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        self.wide = self.subnet("10.1.0.0/20", "a")
        self.other = self.subnet("10.1.16.0/24", "b")
        self.group: str = self.call("ec2", "CreateSecurityGroup", GroupName="cluster", Description="all", VpcId=self.vpc)["GroupId"]
        self.eks_role = self.role("eks", "eks.amazonaws.com")
        self.execution_role = self.role("execution", "sagemaker.amazonaws.com")

    def call(self, service: str, operation: str, **params: Any) -> dict[str, Any]:
        """The answer, which must have the operation's output shape down to its leaves."""
        answer = call(self.world, service, operation, params)
        assert departures(models.operation(service, operation).output_shape, answer, operation) == []
        return answer

    def refused(self, service: str, operation: str, **params: Any) -> tuple[str, str]:
        """Code and message of the error that the call must end in."""
        with pytest.raises(AWSError) as caught:
            self.call(service, operation, **params)
        return caught.value.code, caught.value.message

    def settle(self) -> float:
        """Until nothing is under way; the virtual seconds it took. Broken events fail the test."""
        took = self.world.fast_forward("settled")
        assert self.world.agenda.failures() == []
        return took

    def skip(self, seconds: float) -> None:
        self.world.fast_forward(seconds)
        assert self.world.agenda.failures() == []

    def subnet(self, cidr: str, letter: str, vpc: str = "") -> str:
        zone = f"{self.region}{letter}"
        made: str = self.call("ec2", "CreateSubnet", VpcId=vpc or self.vpc, CidrBlock=cidr, AvailabilityZone=zone)["Subnet"]["SubnetId"]
        return made

    def role(self, name: str, service: str, path: str = "/") -> str:
        trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
        document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        made: str = self.call("iam", "CreateRole", RoleName=name, Path=path, AssumeRolePolicyDocument=document)["Role"]["Arn"]
        return made

    def eks_request(self, name: str = "demo", **changes: Any) -> dict[str, Any]:
        return {
            "name": name,
            "roleArn": self.eks_role,
            "resourcesVpcConfig": {"subnetIds": [self.wide, self.other]},
            "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": False},
            **changes,
        }

    def eks(self, name: str = "demo", **changes: Any) -> dict[str, Any]:
        """An ACTIVE EKS cluster."""
        self.call("eks", "CreateCluster", **self.eks_request(name, **changes))
        self.settle()
        cluster: dict[str, Any] = self.call("eks", "DescribeCluster", name=name)["cluster"]
        assert cluster["status"] == "ACTIVE"
        return cluster

    def addon(self, name: str, cluster: str = "demo", **details: Any) -> dict[str, Any]:
        """An add-on that has settled."""
        self.call("eks", "CreateAddon", clusterName=cluster, addonName=name, **details)
        self.settle()
        found: dict[str, Any] = self.call("eks", "DescribeAddon", clusterName=cluster, addonName=name)["addon"]
        return found

    def instance_group(self, name: str = "workers", count: int = 2, **changes: Any) -> dict[str, Any]:
        spec = {
            "InstanceGroupName": name,
            "InstanceCount": count,
            "InstanceType": "ml.g5.8xlarge",
            "ExecutionRole": self.execution_role,
            **changes,
        }
        return {member: value for member, value in spec.items() if value is not None}

    def hyperpod_request(self, *groups: dict[str, Any], name: str = "demo", **changes: Any) -> dict[str, Any]:
        request = {
            "ClusterName": name,
            "InstanceGroups": [*groups] or [self.instance_group()],
            "VpcConfig": {"SecurityGroupIds": [self.group], "Subnets": [self.wide]},
            "Orchestrator": {"Eks": {"ClusterArn": f"arn:aws:eks:{self.region}:{self.world.settings.account}:cluster/demo"}},
            "NodeRecovery": "Automatic",
            "NodeProvisioningMode": "Continuous",
            **changes,
        }
        return {member: value for member, value in request.items() if value is not None}

    def ground(self) -> None:
        """What HyperPod asks for: an ACTIVE EKS cluster with the VPC CNI."""
        self.eks()
        self.addon("vpc-cni")

    def hyperpod(self, *groups: dict[str, Any], name: str = "demo", **changes: Any) -> dict[str, Any]:
        """A HyperPod cluster whose nodes have settled."""
        self.call("sagemaker", "CreateCluster", **self.hyperpod_request(*groups, name=name, **changes))
        self.settle()
        return self.describe(name)

    def describe(self, name: str = "demo") -> dict[str, Any]:
        return self.call("sagemaker", "DescribeCluster", ClusterName=name)

    def nodes(self, name: str = "demo") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.call(
            "sagemaker", "ListClusterNodes", ClusterName=name, IncludeNodeLogicalIds=True, MaxResults=100
        )["ClusterNodeSummaries"]
        return found

    def statuses(self, name: str = "demo") -> list[str]:
        return [node["InstanceStatus"]["Status"] for node in self.nodes(name)]

    def events(self, name: str = "demo", **filters: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.call(
            "sagemaker", "ListClusterEvents", ClusterName=name, SortOrder="Ascending", MaxResults=100, **filters
        )["Events"]
        return found

    def interfaces(self, subnet: str = "") -> list[dict[str, Any]]:
        found = self.call("ec2", "DescribeNetworkInterfaces")["NetworkInterfaces"]
        return [interface for interface in found if subnet in ("", interface["SubnetId"])]

    def log_groups(self) -> list[str]:
        return [group["logGroupName"] for group in self.call("logs", "DescribeLogGroups")["logGroups"]]
