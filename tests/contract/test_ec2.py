"""EC2 by the real aws command and boto3."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.contract.conftest import Sandbox


def test_a_network_is_built_described_and_taken_down(sandbox: Sandbox) -> None:
    def ec2(*arguments: str) -> object:
        return sandbox.aws("ec2", *arguments)

    tags = "ResourceType=vpc,Tags=[{Key=Name,Value=demo net},{Key=team,Value=ml}]"
    vpc = sandbox.aws("ec2", "create-vpc", "--cidr-block", "10.1.0.0/16", "--tag-specifications", tags)["Vpc"]["VpcId"]
    ec2("modify-vpc-attribute", "--vpc-id", vpc, "--enable-dns-hostnames")
    attribute = sandbox.aws("ec2", "describe-vpc-attribute", "--vpc-id", vpc, "--attribute", "enableDnsHostnames")
    assert attribute == {"VpcId": vpc, "EnableDnsHostnames": {"Value": True}}
    found = sandbox.aws("ec2", "describe-vpcs", "--filters", "Name=tag:Name,Values=demo*", "Name=cidr,Values=10.1.0.0/16")["Vpcs"]
    assert [one["VpcId"] for one in found] == [vpc]
    subnet = sandbox.aws("ec2", "create-subnet", "--vpc-id", vpc, "--cidr-block", "10.1.0.0/24", "--availability-zone-id", "usw2-az2")[
        "Subnet"
    ]
    assert (subnet["AvailabilityZone"], subnet["AvailableIpAddressCount"]) == ("us-west-2a", 251)
    group = sandbox.aws("ec2", "create-security-group", "--group-name", "g", "--description", "d", "--vpc-id", vpc)["GroupId"]
    ec2("authorize-security-group-ingress", "--group-id", group, "--protocol", "tcp", "--port", "443", "--cidr", "10.0.0.0/8")
    described = sandbox.aws("ec2", "describe-security-groups", "--group-ids", group)["SecurityGroups"][0]
    assert described["IpPermissions"] == [
        {
            "IpProtocol": "tcp",
            "FromPort": 443,
            "ToPort": 443,
            "UserIdGroupPairs": [],
            "IpRanges": [{"CidrIp": "10.0.0.0/8"}],
            "Ipv6Ranges": [],
            "PrefixListIds": [],
        }
    ]
    refused = sandbox.run("ec2", "delete-vpc", "--vpc-id", vpc)
    assert refused.returncode == 255
    assert f"(DependencyViolation) when calling the DeleteVpc operation: The vpc '{vpc}' has dependencies" in refused.stderr
    ec2("delete-security-group", "--group-id", group)
    ec2("delete-subnet", "--subnet-id", subnet["SubnetId"])
    ec2("delete-vpc", "--vpc-id", vpc)
    gone = sandbox.run("ec2", "describe-vpcs", "--vpc-ids", vpc)
    assert f"(InvalidVpcID.NotFound) when calling the DescribeVpcs operation: The vpc ID '{vpc}' does not exist" in gone.stderr


def test_a_nat_gateway_is_waited_for(sandbox: Sandbox) -> None:
    ec2 = sandbox.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/24")["Subnet"]["SubnetId"]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    allocation = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=allocation)["NatGateway"]
    assert nat["State"] == "pending"
    sandbox.fast_forward("settled")
    ec2.get_waiter("nat_gateway_available").wait(NatGatewayIds=[nat["NatGatewayId"]], WaiterConfig={"Delay": 1, "MaxAttempts": 2})
    interfaces = ec2.describe_network_interfaces(Filters=[{"Name": "interface-type", "Values": ["nat_gateway"]}])["NetworkInterfaces"]
    assert [one["Description"] for one in interfaces] == [f"Interface for NAT Gateway {nat['NatGatewayId']}"]
    ec2.delete_nat_gateway(NatGatewayId=nat["NatGatewayId"])
    sandbox.fast_forward("settled")
    ec2.get_waiter("nat_gateway_deleted").wait(NatGatewayIds=[nat["NatGatewayId"]], WaiterConfig={"Delay": 1, "MaxAttempts": 2})
    ec2.release_address(AllocationId=allocation)


def test_lists_come_in_pages(sandbox: Sandbox) -> None:
    ec2 = sandbox.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    made = [ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.1.{number}.0/24")["Subnet"]["SubnetId"] for number in range(7)]
    pages = list(
        ec2.get_paginator("describe_subnets").paginate(Filters=[{"Name": "vpc-id", "Values": [vpc]}], PaginationConfig={"PageSize": 5})
    )
    assert [len(page["Subnets"]) for page in pages] == [5, 2]
    assert [one["SubnetId"] for page in pages for one in page["Subnets"]] == made


def test_zones_regions_and_offerings_are_read_by_the_command(sandbox: Sandbox) -> None:
    zones = sandbox.aws("ec2", "describe-availability-zones", "--region", "us-east-1")["AvailabilityZones"]
    assert {zone["ZoneName"]: zone["ZoneId"] for zone in zones}["us-east-1a"] == "use1-az4"
    offered = sandbox.aws(
        "ec2",
        "describe-instance-type-offerings",
        "--location-type",
        "availability-zone",
        "--filters",
        "Name=instance-type,Values=p5en.48xlarge",
        "--query",
        "InstanceTypeOfferings[].Location",
    )
    assert offered == ["us-west-2a", "us-west-2c", "us-west-2d"]
    (kind,) = sandbox.aws("ec2", "describe-instance-types", "--instance-types", "g5.8xlarge")["InstanceTypes"]
    assert kind["GpuInfo"]["Gpus"][0]["Count"] == 1


def test_what_is_not_simulated_is_named_and_not_retried(sandbox: Sandbox) -> None:
    with pytest.raises(ClientError) as caught:
        sandbox.client("ec2", attempts=3).describe_hosts()
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501
    assert caught.value.response["ResponseMetadata"]["RetryAttempts"] == 0
    assert "ec2:DescribeHosts is not simulated" in caught.value.response["Error"]["Message"]


def test_addresses_and_routes_by_the_command(sandbox: Sandbox) -> None:
    vpc = sandbox.aws("ec2", "create-vpc", "--cidr-block", "10.1.0.0/16")["Vpc"]["VpcId"]
    gateway = sandbox.aws("ec2", "create-internet-gateway")["InternetGateway"]["InternetGatewayId"]
    sandbox.aws("ec2", "attach-internet-gateway", "--internet-gateway-id", gateway, "--vpc-id", vpc)
    table = sandbox.aws("ec2", "create-route-table", "--vpc-id", vpc)["RouteTable"]["RouteTableId"]
    route = ("--route-table-id", table, "--destination-cidr-block", "0.0.0.0/0", "--gateway-id", gateway)
    assert sandbox.aws("ec2", "create-route", *route) == {"Return": True}
    assert "(RouteAlreadyExists)" in sandbox.run("ec2", "create-route", *route).stderr
    address = sandbox.aws("ec2", "allocate-address")
    assert (
        sandbox.aws("ec2", "describe-addresses", "--public-ips", address["PublicIp"])["Addresses"][0]["AllocationId"]
        == (address["AllocationId"])
    )
    sandbox.aws("ec2", "create-tags", "--resources", table, "--tags", "Key=Name,Value=routes")
    tags = sandbox.aws("ec2", "describe-tags", "--filters", f"Name=resource-id,Values={table}")["Tags"]
    assert tags == [{"Key": "Name", "ResourceId": table, "ResourceType": "route-table", "Value": "routes"}]
