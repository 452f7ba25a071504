"""The shapes of EC2's answers, against moto's."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.tests.oracle import compare, moto
from sandbox.world import World

VPC = lambda seen: seen["vpc"]["Vpc"]["VpcId"]  # noqa: E731 (an argument that is a function of the answers)
SUBNET = lambda seen: seen["subnet"]["Subnet"]["SubnetId"]  # noqa: E731
GATEWAY = lambda seen: seen["gateway"]["InternetGateway"]["InternetGatewayId"]  # noqa: E731
TABLE = lambda seen: seen["table"]["RouteTable"]["RouteTableId"]  # noqa: E731
GROUP = lambda seen: seen["group"]["GroupId"]  # noqa: E731
ADDRESS = lambda seen: seen["address"]["AllocationId"]  # noqa: E731
NAMED = [{"Key": "Name", "Value": "x"}]

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("CreateVpc", "vpc", {"CidrBlock": "10.1.0.0/16", "TagSpecifications": [{"ResourceType": "vpc", "Tags": NAMED}]}),
    ("DescribeVpcs", "", {"VpcIds": [VPC]}),
    ("DescribeVpcAttribute", "", {"VpcId": VPC, "Attribute": "enableDnsSupport"}),
    ("CreateSubnet", "subnet", {"VpcId": VPC, "CidrBlock": "10.1.0.0/24", "AvailabilityZone": "us-west-2a"}),
    ("DescribeSubnets", "", {"SubnetIds": [SUBNET]}),
    ("CreateInternetGateway", "gateway", {}),
    ("AttachInternetGateway", "", {"InternetGatewayId": GATEWAY, "VpcId": VPC}),
    ("DescribeInternetGateways", "", {"InternetGatewayIds": [GATEWAY]}),
    ("CreateRouteTable", "table", {"VpcId": VPC}),
    ("CreateRoute", "", {"RouteTableId": TABLE, "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": GATEWAY}),
    ("AssociateRouteTable", "", {"RouteTableId": TABLE, "SubnetId": SUBNET}),
    ("DescribeRouteTables", "", {"RouteTableIds": [TABLE]}),
    ("AllocateAddress", "address", {"Domain": "vpc"}),
    ("DescribeAddresses", "", {"AllocationIds": [ADDRESS]}),
    ("CreateNatGateway", "nat", {"SubnetId": SUBNET, "AllocationId": ADDRESS}),
    ("DescribeNatGateways", "", {}),
    ("CreateSecurityGroup", "group", {"GroupName": "g", "Description": "d", "VpcId": VPC}),
    (
        "AuthorizeSecurityGroupIngress",
        "",
        {
            "GroupId": GROUP,
            "IpPermissions": [
                {"IpProtocol": "tcp", "FromPort": 1, "ToPort": 2, "IpRanges": [{"CidrIp": "10.0.0.0/8", "Description": "x"}]}
            ],
        },
    ),
    ("DescribeSecurityGroups", "", {"GroupIds": [GROUP]}),
    ("DescribeSecurityGroupRules", "", {"Filters": [{"Name": "group-id", "Values": [GROUP]}]}),
    ("CreateVpcEndpoint", "", {"VpcId": VPC, "ServiceName": "com.amazonaws.us-west-2.s3", "RouteTableIds": [TABLE]}),
    ("DescribeVpcEndpoints", "", {}),
    ("CreateNetworkInterface", "", {"SubnetId": SUBNET, "Groups": [GROUP], "Description": "x"}),
    ("DescribeNetworkAcls", "", {"Filters": [{"Name": "vpc-id", "Values": [VPC]}]}),
    ("DescribeTags", "", {"Filters": [{"Name": "resource-id", "Values": [VPC]}]}),
    ("DescribeAvailabilityZones", "", {}),
    ("DescribeRegions", "", {"RegionNames": ["us-west-2"]}),
]
# What moto tells and we do not, each for a reason.
WITHOUT = {
    "InstanceId": "moto gives addresses an empty instance",
    "NetworkInterfaceId": "moto gives addresses an empty interface",
}


def test_our_answers_hold_what_motos_hold(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with moto(monkeypatch):
        found = compare(world, "ec2", CALLS, WITHOUT)
    assert (found.missing, found.differing) == ({}, {})
    assert found.excused == set(WITHOUT)
