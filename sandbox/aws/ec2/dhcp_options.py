"""DHCP options: the set that every region has, and those one makes and associates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import tags
from sandbox.aws.ec2.table import Record, wire
from sandbox.aws.ec2.tables import DHCP_OPTIONS, VPCS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def default_id(context: Context) -> str:
    return next(str(record["DhcpOptionsId"]) for record in DHCP_OPTIONS.all(context) if record.get("seeded"))


def make_default(context: Context) -> Record:
    domain = "ec2.internal" if context.region == "us-east-1" else f"{context.region}.compute.internal"
    record: Record = {
        "DhcpOptionsId": DHCP_OPTIONS.new_id(context),
        "DhcpConfigurations": _configurations({"domain-name": [domain], "domain-name-servers": ["AmazonProvidedDNS"]}),
        "OwnerId": context.account,
        "Tags": [],
        "seeded": True,
    }
    DHCP_OPTIONS.put(context, record)
    return record


def _configurations(values: dict[str, list[str]]) -> list[Record]:
    return [{"Key": key, "Values": [{"Value": value} for value in texts]} for key, texts in values.items()]


@operation("ec2", "CreateDhcpOptions")
def create_dhcp_options(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    values = {item["Key"]: item.get("Values") or [] for item in params["DhcpConfigurations"]}
    record: Record = {
        "DhcpOptionsId": DHCP_OPTIONS.new_id(context),
        "DhcpConfigurations": _configurations(values),
        "OwnerId": context.account,
        "Tags": tags.from_specifications(context, params, "dhcp-options"),
    }
    DHCP_OPTIONS.put(context, record)
    return {"DhcpOptions": wire(record)}


@operation("ec2", "DescribeDhcpOptions")
def describe_dhcp_options(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"DhcpOptions": [wire(record) for record in DHCP_OPTIONS.select(context, params.get("DhcpOptionsIds"), params.get("Filters"))]}


@operation("ec2", "AssociateDhcpOptions")
def associate_dhcp_options(context: Context, params: dict[str, Any]) -> None:
    vpc = VPCS.get(context, params["VpcId"])
    wanted = params["DhcpOptionsId"]
    vpc["DhcpOptionsId"] = default_id(context) if wanted == "default" else DHCP_OPTIONS.get(context, wanted)["DhcpOptionsId"]
    VPCS.put(context, vpc)


@operation("ec2", "DeleteDhcpOptions")
def delete_dhcp_options(context: Context, params: dict[str, Any]) -> None:
    record = DHCP_OPTIONS.get(context, params["DhcpOptionsId"])
    if VPCS.where(context, DhcpOptionsId=record["DhcpOptionsId"]):
        raise AWSError("DependencyViolation", f"The dhcpOptions '{record['DhcpOptionsId']}' has dependencies and cannot be deleted.")
    DHCP_OPTIONS.delete(context, record["DhcpOptionsId"])
