"""VPCs and subnets."""

from __future__ import annotations

import pytest

from sandbox.tests.ec2.conftest import Ec2


def test_a_vpc_comes_with_a_main_route_table_a_default_group_and_a_default_acl(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    within = [{"Name": "vpc-id", "Values": [vpc]}]
    (table,) = ec2("DescribeRouteTables", Filters=within)["RouteTables"]
    (group,) = ec2("DescribeSecurityGroups", Filters=within)["SecurityGroups"]
    (acl,) = ec2("DescribeNetworkAcls", Filters=within)["NetworkAcls"]
    assert [association["Main"] for association in table["Associations"]] == [True]
    assert [(route["DestinationCidrBlock"], route["GatewayId"]) for route in table["Routes"]] == [("10.1.0.0/16", "local")]
    assert group["GroupName"] == "default"
    assert group["IpPermissions"][0]["UserIdGroupPairs"] == [{"GroupId": group["GroupId"], "UserId": "123456789012"}]
    assert acl["IsDefault"] is True
    assert [kind for kind, _ in ec2.alive()] == ["ec2.vpc", "ec2.route-table", "ec2.security-group", "ec2.network-acl"]


def test_deleting_a_vpc_takes_its_companions_with_it(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    ec2("DeleteVpc", VpcId=vpc)
    assert ec2.alive() == []
    assert ec2.refused("DescribeVpcs", VpcIds=[vpc]) == ("InvalidVpcID.NotFound", f"The vpc ID '{vpc}' does not exist")


@pytest.mark.parametrize("maker", ["subnet", "group", "online"])
def test_a_vpc_in_use_is_not_deleted(ec2: Ec2, maker: str) -> None:
    vpc = ec2.vpc()
    getattr(ec2, maker)(vpc)
    before = ec2.alive()
    assert ec2.refused("DeleteVpc", VpcId=vpc) == ("DependencyViolation", f"The vpc '{vpc}' has dependencies and cannot be deleted.")
    assert ec2.alive() == before


def test_a_route_table_of_ones_own_keeps_the_vpc(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    table = ec2("CreateRouteTable", VpcId=vpc)["RouteTable"]["RouteTableId"]
    assert ec2.refused("DeleteVpc", VpcId=vpc)[0] == "DependencyViolation"
    ec2("DeleteRouteTable", RouteTableId=table)
    ec2("DeleteVpc", VpcId=vpc)
    assert ec2.alive() == []


@pytest.mark.parametrize(
    ("block", "code"), [("10.0.0.0/15", "InvalidVpc.Range"), ("10.0.0.0/29", "InvalidVpc.Range"), ("10.0.0.0", "InvalidParameterValue")]
)
def test_a_vpc_block_is_a_16_to_a_28(ec2: Ec2, block: str, code: str) -> None:
    assert ec2.refused("CreateVpc", CidrBlock=block)[0] == code
    assert ec2.alive() == []


def test_dns_attributes_are_set_one_at_a_time(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    assert ec2("DescribeVpcAttribute", VpcId=vpc, Attribute="enableDnsHostnames")["EnableDnsHostnames"] == {"Value": False}
    ec2("ModifyVpcAttribute", VpcId=vpc, EnableDnsHostnames={"Value": True})
    assert ec2("DescribeVpcAttribute", VpcId=vpc, Attribute="enableDnsHostnames")["EnableDnsHostnames"] == {"Value": True}
    both = ec2.refused("ModifyVpcAttribute", VpcId=vpc, EnableDnsHostnames={"Value": True}, EnableDnsSupport={"Value": True})
    assert both[0] == "InvalidParameterCombination"


def test_every_region_has_a_default_vpc_that_the_ledger_does_not_tell_of(ec2: Ec2) -> None:
    (vpc,) = ec2("DescribeVpcs")["Vpcs"]
    assert (vpc["CidrBlock"], vpc["IsDefault"]) == ("172.31.0.0/16", True)
    subnets = ec2("DescribeSubnets")["Subnets"]
    assert [subnet["AvailabilityZone"] for subnet in subnets] == ["us-west-2a", "us-west-2b", "us-west-2c", "us-west-2d"]
    assert {subnet["AvailableIpAddressCount"] for subnet in subnets} == {4091}
    assert ec2.alive() == []


def test_a_subnet_lies_in_its_vpc_and_overlaps_no_other(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    ec2.subnet(vpc, "10.1.0.0/24")
    conflict = ec2.refused("CreateSubnet", VpcId=vpc, CidrBlock="10.1.0.128/25")
    outside = ec2.refused("CreateSubnet", VpcId=vpc, CidrBlock="10.2.0.0/24")
    assert conflict == ("InvalidSubnet.Conflict", "The CIDR '10.1.0.128/25' conflicts with another subnet")
    assert outside == ("InvalidSubnet.Range", "The CIDR '10.2.0.0/24' is invalid.")


def test_a_subnet_may_name_its_zone_by_id(ec2: Ec2) -> None:
    made = ec2("CreateSubnet", VpcId=ec2.vpc(), CidrBlock="10.1.0.0/24", AvailabilityZoneId="usw2-az1")["Subnet"]
    assert (made["AvailabilityZone"], made["AvailabilityZoneId"]) == ("us-west-2b", "usw2-az1")


def test_an_unknown_zone_is_refused_with_the_known_ones(ec2: Ec2) -> None:
    code, message = ec2.refused("CreateSubnet", VpcId=ec2.vpc(), CidrBlock="10.1.0.0/24", AvailabilityZone="us-west-2z")
    assert code == "InvalidParameterValue"
    assert message.endswith("following availability zones: us-west-2a, us-west-2b, us-west-2c, us-west-2d.")


def test_interfaces_take_addresses_and_give_them_back(ec2: Ec2) -> None:
    subnet = ec2.subnet(ec2.vpc(), "10.1.0.0/28")

    def free() -> int:
        count: int = ec2("DescribeSubnets", SubnetIds=[subnet])["Subnets"][0]["AvailableIpAddressCount"]
        return count

    assert free() == 11
    first = ec2("CreateNetworkInterface", SubnetId=subnet, SecondaryPrivateIpAddressCount=9)["NetworkInterface"]
    assert (first["PrivateIpAddress"], len(first["PrivateIpAddresses"]), free()) == ("10.1.0.4", 10, 1)
    second = ec2("CreateNetworkInterface", SubnetId=subnet)["NetworkInterface"]
    assert (second["PrivateIpAddress"], free()) == ("10.1.0.14", 0)
    assert ec2.refused("CreateNetworkInterface", SubnetId=subnet)[0] == "InsufficientFreeAddressesInSubnet"
    ec2("DeleteNetworkInterface", NetworkInterfaceId=first["NetworkInterfaceId"])
    assert free() == 10


def test_an_address_that_is_taken_is_refused_and_a_free_one_given(ec2: Ec2) -> None:
    subnet = ec2.subnet(ec2.vpc())
    ec2("CreateNetworkInterface", SubnetId=subnet, PrivateIpAddress="10.1.0.5")
    assert ec2.refused("CreateNetworkInterface", SubnetId=subnet, PrivateIpAddress="10.1.0.5")[0] == "InvalidIPAddress.InUse"
    given = [ec2("CreateNetworkInterface", SubnetId=subnet)["NetworkInterface"]["PrivateIpAddress"] for _ in range(2)]
    assert given == ["10.1.0.4", "10.1.0.6"]


def test_a_subnet_with_an_interface_is_not_deleted(ec2: Ec2) -> None:
    subnet = ec2.subnet(ec2.vpc())
    interface = ec2("CreateNetworkInterface", SubnetId=subnet)["NetworkInterface"]["NetworkInterfaceId"]
    told = f"The subnet '{subnet}' has dependencies and cannot be deleted."
    assert ec2.refused("DeleteSubnet", SubnetId=subnet) == ("DependencyViolation", told)
    ec2("DeleteNetworkInterface", NetworkInterfaceId=interface)
    ec2("DeleteSubnet", SubnetId=subnet)
    assert [kind for kind, _ in ec2.alive() if kind == "ec2.subnet"] == []


def test_the_number_of_vpcs_is_limited_by_the_quota(ec2: Ec2) -> None:
    ec2.world.faults.add({"scenario": "quota_reached", "name": "VPCs per Region"})
    assert ec2.refused("CreateVpc", CidrBlock="10.1.0.0/16") == ("VpcLimitExceeded", "The maximum number of VPCs has been reached.")
    assert ec2.alive() == []


def test_a_dry_run_changes_nothing(ec2: Ec2) -> None:
    assert ec2.refused("CreateVpc", CidrBlock="10.1.0.0/16", DryRun=True)[0] == "DryRunOperation"
    assert ec2.alive() == []
