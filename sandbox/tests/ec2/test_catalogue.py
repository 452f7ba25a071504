"""Zones, regions, instance types, tags and filters."""

from __future__ import annotations

import pytest

from sandbox.aws.ec2.instance_types import INSTANCE_TYPES, offered_zones
from sandbox.aws.ec2.zones import REGIONS, zones
from sandbox.testing import call
from sandbox.tests.ec2.conftest import Ec2


def test_zone_ids_are_unique_and_not_in_the_order_of_the_names() -> None:
    found = [zone for region in REGIONS for zone in zones(region)]
    assert len({zone.id for zone in found}) == len({zone.name for zone in found}) == len(found)
    first = zones("us-east-1")
    assert [zone.id for zone in first] != sorted(zone.id for zone in first)


def test_zones_are_those_of_the_callers_region(ec2: Ec2) -> None:
    found = call(ec2.world, "ec2", "DescribeAvailabilityZones", {}, region="ap-northeast-1")["AvailabilityZones"]
    assert [zone["ZoneName"] for zone in found] == ["ap-northeast-1a", "ap-northeast-1c", "ap-northeast-1d"]


def test_regions_are_listed_and_filtered(ec2: Ec2) -> None:
    assert len(ec2("DescribeRegions")["Regions"]) == len(REGIONS)
    assert [one["RegionName"] for one in ec2("DescribeRegions", RegionNames=["eu-west-1"])["Regions"]] == ["eu-west-1"]


def test_an_accelerated_type_is_offered_in_some_zones_only(ec2: Ec2) -> None:
    filters = [{"Name": "instance-type", "Values": ["p5e.48xlarge"]}]
    found = ec2("DescribeInstanceTypeOfferings", LocationType="availability-zone", Filters=filters)["InstanceTypeOfferings"]
    by_id = ec2("DescribeInstanceTypeOfferings", LocationType="availability-zone-id", Filters=filters)["InstanceTypeOfferings"]
    assert [one["Location"] for one in found] == offered_zones("us-west-2", "p5e.48xlarge") == ["us-west-2c"]
    assert [one["Location"] for one in by_id] == ["usw2-az3"]


def test_a_type_that_the_region_does_not_offer_does_not_exist_there(ec2: Ec2) -> None:
    refused = ec2.refused("DescribeInstanceTypes", InstanceTypes=["p6-b200.48xlarge", "p9.huge"])
    assert refused == ("InvalidInstanceType", "The following supplied instance types do not exist: [p9.huge]")


def test_instance_types_tell_accelerators_memory_and_efa(ec2: Ec2) -> None:
    (p5,) = ec2("DescribeInstanceTypes", InstanceTypes=["p5.48xlarge"])["InstanceTypes"]
    assert (p5["VCpuInfo"]["DefaultVCpus"], p5["MemoryInfo"]["SizeInMiB"]) == (192, 2048 * 1024)
    assert p5["GpuInfo"]["Gpus"][0] == {"Manufacturer": "NVIDIA", "Name": "H100", "Count": 8, "MemoryInfo": {"SizeInMiB": 81920}}
    assert p5["NetworkInfo"]["EfaInfo"] == {"MaximumEfaInterfaces": 32}
    (trn,) = ec2("DescribeInstanceTypes", InstanceTypes=["trn2.48xlarge"])["InstanceTypes"]
    assert trn["NeuronInfo"]["NeuronDevices"][0]["Count"] == 16


def test_every_region_offers_a_type_of_every_plain_family() -> None:
    plain = {one.family for one in INSTANCE_TYPES.values() if not one.accelerators}
    for region in REGIONS:
        offered = {one.family for one in INSTANCE_TYPES.values() if offered_zones(region, one.name)}
        assert plain | {"g5"} <= offered, region


def test_hyperpods_instances_are_not_in_the_account(ec2: Ec2) -> None:
    assert ec2("DescribeInstances") == {"Reservations": []}
    assert ec2.refused("DescribeInstances", InstanceIds=["i-0123456789abcdef0"])[0] == "InvalidInstanceID.NotFound"


def test_tags_come_with_the_resource_and_later(ec2: Ec2) -> None:
    specification = [{"ResourceType": "vpc", "Tags": [{"Key": "Name", "Value": "one"}]}]
    vpc = ec2("CreateVpc", CidrBlock="10.1.0.0/16", TagSpecifications=specification)["Vpc"]["VpcId"]
    ec2("CreateTags", Resources=[vpc], Tags=[{"Key": "Name", "Value": "two"}, {"Key": "team", "Value": "ml"}])
    filters = [{"Name": "resource-id", "Values": [vpc]}]
    tags = ec2("DescribeTags", Filters=filters)["Tags"]
    assert [(tag["Key"], tag["Value"], tag["ResourceType"]) for tag in tags] == [("Name", "two", "vpc"), ("team", "ml", "vpc")]
    ec2("DeleteTags", Resources=[vpc], Tags=[{"Key": "team", "Value": "other"}])
    assert len(ec2("DescribeTags", Filters=filters)["Tags"]) == 2
    ec2("DeleteTags", Resources=[vpc], Tags=[{"Key": "team"}])
    assert [tag["Key"] for tag in ec2("DescribeTags", Filters=filters)["Tags"]] == ["Name"]


def test_awss_own_tags_are_not_the_users_to_set(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    assert ec2.refused("CreateTags", Resources=[vpc], Tags=[{"Key": "aws:x", "Value": ""}])[0] == "InvalidParameterValue"
    many = [{"Key": f"k{number}", "Value": ""} for number in range(51)]
    assert ec2.refused("CreateTags", Resources=[vpc], Tags=many)[0] == "TagLimitExceeded"
    assert ec2("DescribeVpcs", VpcIds=[vpc])["Vpcs"][0]["Tags"] == []


def test_tagging_several_resources_is_all_or_nothing(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    refused = ec2.refused("CreateTags", Resources=[vpc, "subnet-0123456789abcdef0"], Tags=[{"Key": "a", "Value": "b"}])
    assert refused[0] == "InvalidSubnetID.NotFound"
    assert ec2("DescribeVpcs", VpcIds=[vpc])["Vpcs"][0]["Tags"] == []


@pytest.mark.parametrize(
    ("name", "values", "count"),
    [
        ("cidr", ["10.*"], 2),
        ("cidr", ["10.?.0.0/16"], 2),
        ("cidr", ["10.1.0.0/16", "172.31.0.0/16"], 2),
        ("is-default", ["true"], 1),
        ("isDefault", ["false"], 2),
        ("tag:Name", ["blu*"], 1),
        ("tag-key", ["Name"], 1),
        ("tag:Name", ["BLUE"], 0),
        ("cidr", [r"10.\*"], 0),
    ],
)
def test_filters_match_with_wildcards_any_value_and_all_names(ec2: Ec2, name: str, values: list[str], count: int) -> None:
    specification = [{"ResourceType": "vpc", "Tags": [{"Key": "Name", "Value": "blue"}]}]
    ec2("CreateVpc", CidrBlock="10.1.0.0/16", TagSpecifications=specification)
    ec2.vpc("10.2.0.0/16")
    assert len(ec2("DescribeVpcs", Filters=[{"Name": name, "Values": values}])["Vpcs"]) == count


def test_an_unknown_filter_is_refused(ec2: Ec2) -> None:
    refused = ec2.refused("DescribeVpcs", Filters=[{"Name": "colour", "Values": ["blue"]}])
    assert refused == ("InvalidParameterValue", "The filter 'colour' is invalid")
