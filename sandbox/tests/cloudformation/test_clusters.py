"""Stacks with an EKS cluster, which takes ten minutes and cannot be deleted while it is made."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.testing import call
from sandbox.tests.cloudformation.conftest import ROLE, VPC, Cloudformation, subnet

USER = "arn:aws:iam::123456789012:user/sandbox"
ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
BASE: dict[str, Any] = {
    "Vpc": VPC,
    "One": subnet("10.1.0.0/24", AvailabilityZone="us-west-2a"),
    "Two": subnet("10.1.1.0/24", AvailabilityZone="us-west-2b"),
    "Role": ROLE,
    "Cluster": {
        "Type": "AWS::EKS::Cluster",
        "Properties": {
            "Name": "demo",
            "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
            "ResourcesVpcConfig": {"SubnetIds": [{"Ref": "One"}, {"Ref": "Two"}], "EndpointPrivateAccess": "true"},
            "AccessConfig": {"AuthenticationMode": "API_AND_CONFIG_MAP", "BootstrapClusterCreatorAdminPermissions": False},
            "Logging": {"ClusterLogging": {"EnabledTypes": [{"Type": "api"}, {"Type": "audit"}]}},
        },
    },
}
PROVIDER = {
    "Type": "AWS::IAM::OIDCProvider",
    "Properties": {"Url": {"Fn::GetAtt": ["Cluster", "OpenIdConnectIssuerUrl"]}, "ClientIdList": ["sts.amazonaws.com"]},
}
ENTRY = {
    "Type": "AWS::EKS::AccessEntry",
    "Properties": {
        "ClusterName": {"Ref": "Cluster"},
        "PrincipalArn": USER,
        "AccessPolicies": [{"PolicyArn": ADMIN, "AccessScope": {"Type": "cluster"}}],
    },
}


def left(cfn: Cloudformation) -> list[tuple[str, str]]:
    """Besides the log group that EKS makes and leaves."""
    return [entry for entry in cfn.alive() if entry[0] != "logs.group"]


def test_the_stack_is_complete_when_the_cluster_is_active(cfn: Cloudformation) -> None:
    cfn.create({**BASE, "Provider": PROVIDER, "Entry": ENTRY}, Outputs={"Arn": {"Value": {"Fn::GetAtt": ["Cluster", "Arn"]}}})
    cfn.world.fast_forward(300)
    assert call(cfn.world, "eks", "DescribeCluster", {"name": "demo"})["cluster"]["status"] == "CREATING"
    assert cfn.describe("net")["StackStatus"] == "CREATE_IN_PROGRESS"
    cfn.settle()
    cluster = call(cfn.world, "eks", "DescribeCluster", {"name": "demo"})["cluster"]
    assert (cfn.describe("net")["StackStatus"], cluster["status"]) == ("CREATE_COMPLETE", "ACTIVE")
    assert cfn.describe("net")["Outputs"] == [{"OutputKey": "Arn", "OutputValue": cluster["arn"]}]
    assert cluster["tags"]["aws:cloudformation:logical-id"] == "Cluster"
    enabled = [one["types"] for one in cluster["logging"]["clusterLogging"] if one["enabled"]]
    assert enabled == [["api", "audit"]]
    policies = call(cfn.world, "eks", "ListAssociatedAccessPolicies", {"clusterName": "demo", "principalArn": USER})
    assert [policy["policyArn"] for policy in policies["associatedAccessPolicies"]] == [ADMIN]
    assert cfn.physical("net", "Provider").endswith(cluster["identity"]["oidc"]["issuer"].removeprefix("https://"))
    cfn.delete("net")
    assert left(cfn) == []


def test_a_failure_while_the_cluster_is_made_rolls_back_once_it_is_made(cfn: Cloudformation) -> None:
    cfn.world.faults.add({"kind": "access_denied", "service": "ec2", "operation": "AllocateAddress"})
    late = {"Type": "AWS::EC2::EIP", "DependsOn": "Two"}
    stack = cfn.stack({**BASE, "Address": late})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert left(cfn) == []


@pytest.mark.parametrize(("service", "operation"), [("eks", "CreateAccessEntry"), ("iam", "CreateOpenIDConnectProvider")])
def test_a_failure_after_the_cluster_rolls_everything_back(cfn: Cloudformation, service: str, operation: str) -> None:
    cfn.world.faults.add({"kind": "access_denied", "service": service, "operation": operation})
    stack = cfn.stack({**BASE, "Provider": PROVIDER, "Entry": ENTRY})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert ("Cluster", "DELETE_COMPLETE") in cfn.events("net")
    assert left(cfn) == []


def test_a_stack_deleted_while_its_cluster_is_made_waits_for_it(cfn: Cloudformation) -> None:
    identifier = cfn.create(BASE)
    cfn.world.fast_forward(100)
    assert ("Cluster", "CREATE_IN_PROGRESS") in cfn.events("net")
    cfn("DeleteStack", StackName="net")
    cfn.world.fast_forward(60)
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_IN_PROGRESS"
    cfn.settle()
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"
    assert left(cfn) == []


def test_add_ons_and_pod_identities_are_made_and_taken_away(cfn: Cloudformation) -> None:
    trusting = {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {"Effect": "Allow", "Principal": {"Service": "pods.eks.amazonaws.com"}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
                ],
            }
        },
    }
    association = {
        "Type": "AWS::EKS::PodIdentityAssociation",
        "Properties": {
            "ClusterName": {"Ref": "Cluster"},
            "Namespace": "kube-system",
            "ServiceAccount": "driver",
            "RoleArn": {"Fn::GetAtt": ["PodRole", "Arn"]},
        },
    }
    addon = {"Type": "AWS::EKS::Addon", "Properties": {"ClusterName": {"Ref": "Cluster"}, "AddonName": "vpc-cni"}}
    stack = cfn.stack({**BASE, "PodRole": trusting, "Association": association, "Addon": addon})
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    found = call(cfn.world, "eks", "DescribeAddon", {"clusterName": "demo", "addonName": "vpc-cni"})["addon"]
    assert (found["status"], cfn.physical("net", "Addon")) == ("ACTIVE", "demo|vpc-cni")
    assert len(call(cfn.world, "eks", "ListPodIdentityAssociations", {"clusterName": "demo"})["associations"]) == 1
    cfn.delete("net")
    assert left(cfn) == []
