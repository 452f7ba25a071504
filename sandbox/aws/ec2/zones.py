"""Regions and their Availability Zones, with the ids that are the same in every account.

A name such as us-east-1a means another place in each account; the mapping here is that of one fixed account, on purpose not the
identity, so that code which mixes names and ids fails. Source: EC2 User Guide, "AZ IDs"; which zones exist: public region table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import filters
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@dataclass(frozen=True)
class Zone:
    region: str
    name: str
    id: str


# Region: prefix of its zone ids, then letter and number of each zone.
_REGIONS: dict[str, tuple[str, dict[str, int]]] = {
    "us-east-1": ("use1", {"a": 4, "b": 6, "c": 1, "d": 2, "e": 3, "f": 5}),
    "us-east-2": ("use2", {"a": 1, "b": 2, "c": 3}),
    "us-west-1": ("usw1", {"b": 3, "c": 1}),
    "us-west-2": ("usw2", {"a": 2, "b": 1, "c": 3, "d": 4}),
    "ca-central-1": ("cac1", {"a": 1, "b": 2, "d": 4}),
    "eu-central-1": ("euc1", {"a": 2, "b": 3, "c": 1}),
    "eu-north-1": ("eun1", {"a": 1, "b": 2, "c": 3}),
    "eu-west-1": ("euw1", {"a": 3, "b": 1, "c": 2}),
    "eu-west-2": ("euw2", {"a": 2, "b": 3, "c": 1}),
    "ap-northeast-1": ("apne1", {"a": 4, "c": 1, "d": 2}),
    "ap-south-1": ("aps1", {"a": 1, "b": 3, "c": 2}),
    "ap-southeast-1": ("apse1", {"a": 2, "b": 1, "c": 3}),
    "ap-southeast-2": ("apse2", {"a": 3, "b": 1, "c": 2}),
    "ap-southeast-3": ("apse3", {"a": 1, "b": 2, "c": 3}),
    "ap-southeast-4": ("apse4", {"a": 1, "b": 2, "c": 3}),
    "sa-east-1": ("sae1", {"a": 1, "b": 2, "c": 3}),
}
_OPT_IN = {"ap-southeast-3", "ap-southeast-4"}

REGIONS = tuple(_REGIONS)


def zones(region: str) -> list[Zone]:
    """The region's zones by name. Empty for a region we do not know."""
    prefix, letters = _REGIONS.get(region, ("", {}))
    return [Zone(region, f"{region}{letter}", f"{prefix}-az{number}") for letter, number in letters.items()]


def zone(region: str, name_or_id: str) -> Zone | None:
    return next((found for found in zones(region) if name_or_id in (found.name, found.id)), None)


@operation("ec2", "DescribeRegions")
def describe_regions(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    records = [
        {
            "RegionName": name,
            "Endpoint": f"ec2.{name}.amazonaws.com",
            "OptInStatus": "opted-in" if name in _OPT_IN else "opt-in-not-required",
        }
        for name in REGIONS
    ]
    wanted = params.get("RegionNames")
    if wanted:
        unknown = [name for name in wanted if name not in _REGIONS]
        if unknown:
            raise AWSError("InvalidParameterValue", f"Invalid region provided: {', '.join(unknown)}")
        records = [record for record in records if record["RegionName"] in wanted]
    readers = filters.members(region_name="RegionName", endpoint="Endpoint", opt_in_status="OptInStatus")
    return {"Regions": filters.apply(records, params.get("Filters"), readers)}


@operation("ec2", "DescribeAvailabilityZones")
def describe_availability_zones(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = zones(context.region)
    for member, kind in (("ZoneNames", "name"), ("ZoneIds", "id")):
        wanted = params.get(member)
        if wanted:
            known = {getattr(one, kind) for one in found}
            unknown = [value for value in wanted if value not in known]
            if unknown:
                raise AWSError("InvalidParameterValue", f"Invalid availability zone{'-id' if kind == 'id' else ''}: [{', '.join(unknown)}]")
            found = [one for one in found if getattr(one, kind) in wanted]
    records = [
        {
            "State": "available",
            "OptInStatus": "opt-in-not-required",
            "Messages": [],
            "RegionName": one.region,
            "ZoneName": one.name,
            "ZoneId": one.id,
            "GroupName": f"{one.region}-zg-1",
            "NetworkBorderGroup": one.region,
            "ZoneType": "availability-zone",
        }
        for one in found
    ]
    readers = filters.members(
        state="State",
        region_name="RegionName",
        zone_name="ZoneName",
        zone_id="ZoneId",
        zone_type="ZoneType",
        group_name="GroupName",
        opt_in_status="OptInStatus",
        network_border_group="NetworkBorderGroup",
    )
    return {"AvailabilityZones": filters.apply(records, params.get("Filters"), readers)}
