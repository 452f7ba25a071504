"""Each call that a stack makes is denied in turn: creation leaves nothing, deletion names what failed and ends on the next try."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.tests.cloudformation.conftest import GATEWAY, ROLE, VPC, Cloudformation, group, subnet


def ref(name: str) -> dict[str, str]:
    return {"Ref": name}


def of(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": kind, "Properties": properties}


READ = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
EVERYTHING: dict[str, Any] = {
    "Vpc": {**VPC, "Properties": {**VPC["Properties"], "EnableDnsHostnames": True}},
    "Gateway": GATEWAY,
    "Attachment": of("AWS::EC2::VPCGatewayAttachment", VpcId=ref("Vpc"), InternetGatewayId=ref("Gateway")),
    "Subnet": subnet(MapPublicIpOnLaunch=True),
    "Address": {"Type": "AWS::EC2::EIP", "DependsOn": "Attachment"},
    "Nat": of("AWS::EC2::NatGateway", SubnetId=ref("Subnet"), AllocationId={"Fn::GetAtt": "Address.AllocationId"}),
    "Routes": of("AWS::EC2::RouteTable", VpcId=ref("Vpc")),
    "Route": of("AWS::EC2::Route", RouteTableId=ref("Routes"), DestinationCidrBlock="0.0.0.0/0", NatGatewayId=ref("Nat")),
    "Association": of("AWS::EC2::SubnetRouteTableAssociation", SubnetId=ref("Subnet"), RouteTableId=ref("Routes")),
    "Endpoint": of(
        "AWS::EC2::VPCEndpoint", VpcId=ref("Vpc"), ServiceName={"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"}, RouteTableIds=[ref("Routes")]
    ),
    "Group": group(SecurityGroupEgress=[{"IpProtocol": "-1", "CidrIp": "10.0.0.0/8"}]),
    "Ingress": of("AWS::EC2::SecurityGroupIngress", GroupId=ref("Group"), IpProtocol="-1", SourceSecurityGroupId=ref("Group")),
    "Egress": of("AWS::EC2::SecurityGroupEgress", GroupId=ref("Group"), IpProtocol="-1", DestinationSecurityGroupId=ref("Group")),
    "Role": {
        "Type": "AWS::IAM::Role",
        "Properties": {
            **ROLE["Properties"],
            "ManagedPolicyArns": ["arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"],
            "Policies": [{"PolicyName": "own", "PolicyDocument": READ}],
        },
    },
    "Inline": of("AWS::IAM::Policy", PolicyName="inline", PolicyDocument=READ, Roles=[ref("Role")]),
    "RolePolicy": of("AWS::IAM::RolePolicy", PolicyName="apart", RoleName=ref("Role"), PolicyDocument=READ),
    "Managed": of("AWS::IAM::ManagedPolicy", PolicyDocument=READ, Roles=[ref("Role")]),
    "Profile": of("AWS::IAM::InstanceProfile", Roles=[ref("Role")]),
    "Provider": of("AWS::IAM::OIDCProvider", Url="https://oidc.example.com/id/A"),
    "Bucket": of("AWS::S3::Bucket", PublicAccessBlockConfiguration={"BlockPublicPolicy": True}),
    "BucketPolicy": of(
        "AWS::S3::BucketPolicy",
        Bucket=ref("Bucket"),
        PolicyDocument={
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": {"Fn::GetAtt": "Bucket.Arn"}}],
        },
    ),
    "Logs": of("AWS::Logs::LogGroup", RetentionInDays=7),
}
CREATING = [
    ("ec2", "CreateVpc"),
    ("ec2", "ModifyVpcAttribute"),
    ("ec2", "CreateInternetGateway"),
    ("ec2", "AttachInternetGateway"),
    ("ec2", "CreateSubnet"),
    ("ec2", "ModifySubnetAttribute"),
    ("ec2", "AllocateAddress"),
    ("ec2", "CreateNatGateway"),
    ("ec2", "DescribeNatGateways"),
    ("ec2", "CreateRouteTable"),
    ("ec2", "CreateRoute"),
    ("ec2", "AssociateRouteTable"),
    ("ec2", "CreateVpcEndpoint"),
    ("ec2", "CreateSecurityGroup"),
    ("ec2", "AuthorizeSecurityGroupIngress"),
    ("ec2", "AuthorizeSecurityGroupEgress"),
    ("ec2", "RevokeSecurityGroupEgress"),
    ("iam", "CreateRole"),
    ("iam", "AttachRolePolicy"),
    ("iam", "PutRolePolicy"),
    ("iam", "CreatePolicy"),
    ("iam", "CreateInstanceProfile"),
    ("iam", "AddRoleToInstanceProfile"),
    ("iam", "CreateOpenIDConnectProvider"),
    ("s3", "CreateBucket"),
    ("s3", "PutBucketTagging"),
    ("s3", "PutBucketPolicy"),
    ("logs", "CreateLogGroup"),
    ("logs", "PutRetentionPolicy"),
]
DELETING = [
    ("ec2", "DeleteVpc", "Vpc"),
    ("ec2", "DeleteInternetGateway", "Gateway"),
    ("ec2", "DetachInternetGateway", "Attachment"),
    ("ec2", "DeleteSubnet", "Subnet"),
    ("ec2", "ReleaseAddress", "Address"),
    ("ec2", "DeleteNatGateway", "Nat"),
    ("ec2", "DeleteRouteTable", "Routes"),
    ("ec2", "DeleteRoute", "Route"),
    ("ec2", "DisassociateRouteTable", "Association"),
    ("ec2", "DeleteVpcEndpoints", "Endpoint"),
    ("ec2", "DeleteSecurityGroup", "Group"),
    ("ec2", "RevokeSecurityGroupIngress", "Ingress"),
    ("iam", "DeleteRole", "Role"),
    ("iam", "DeletePolicy", "Managed"),
    ("iam", "DeleteInstanceProfile", "Profile"),
    ("iam", "DeleteOpenIDConnectProvider", "Provider"),
    ("s3", "DeleteBucket", "Bucket"),
    ("s3", "DeleteBucketPolicy", "BucketPolicy"),
    ("logs", "DeleteLogGroup", "Logs"),
]


@pytest.mark.parametrize(("service", "operation"), CREATING)
def test_a_denied_creation_leaves_nothing(cfn: Cloudformation, service: str, operation: str) -> None:
    cfn.world.faults.add({"kind": "access_denied", "service": service, "operation": operation})
    stack = cfn.stack(EVERYTHING)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    told = [event["ResourceStatusReason"] for event in cfn.history("net") if event["ResourceStatus"] == "CREATE_FAILED"]
    assert len([reason for reason in told if f"{service}:{operation}" in reason and "AccessDenied" in reason]) == 1
    assert cfn.alive() == []


@pytest.mark.parametrize(("service", "operation", "logical_id"), DELETING)
def test_a_denied_deletion_is_named_and_ends_on_the_next_try(cfn: Cloudformation, service: str, operation: str, logical_id: str) -> None:
    identifier = cfn.stack(EVERYTHING)["StackId"]
    cfn.world.faults.add({"kind": "access_denied", "service": service, "operation": operation})
    cfn.delete("net")
    stack = cfn.describe("net")
    assert (stack["StackStatus"], stack["StackStatusReason"]) == (
        "DELETE_FAILED",
        f"The following resource(s) failed to delete: [{logical_id}].",
    )
    cfn.delete("net")
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"
    assert cfn.alive() == []


def test_all_types_together_come_and_go(cfn: Cloudformation) -> None:
    assert cfn.stack(EVERYTHING)["StackStatus"] == "CREATE_COMPLETE"
    cfn.delete("net")
    assert cfn.alive() == []
