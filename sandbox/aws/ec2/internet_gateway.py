"""Internet gateways and their attachment to a VPC (one each way)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import limits, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import INTERNET_GATEWAYS, NAT_GATEWAYS, NETWORK_INTERFACES, ROUTE_TABLES, VPCS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def make(context: Context, gateway_tags: list[dict[str, str]], *, seeded: bool = False) -> Record:
    record: Record = {
        "InternetGatewayId": INTERNET_GATEWAYS.new_id(context),
        "Attachments": [],
        "OwnerId": context.account,
        "Tags": gateway_tags,
    }
    if seeded:
        record["seeded"] = True
    INTERNET_GATEWAYS.put(context, record)
    return record


def attach(context: Context, gateway: Record, vpc_id: str) -> None:
    gateway["Attachments"] = [{"State": "available", "VpcId": vpc_id}]
    INTERNET_GATEWAYS.put(context, gateway)


@operation("ec2", "CreateInternetGateway")
def create_internet_gateway(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    gateway_tags = tags.from_specifications(context, params, "internet-gateway")
    limits.check(context, limits.INTERNET_GATEWAYS, len(INTERNET_GATEWAYS.all(context)))
    return {"InternetGateway": wire(make(context, gateway_tags))}


@operation("ec2", "DescribeInternetGateways")
def describe_internet_gateways(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = INTERNET_GATEWAYS.select(context, params.get("InternetGatewayIds"), params.get("Filters"))
    return {"InternetGateways": [wire(gateway) for gateway in found]}


@operation("ec2", "AttachInternetGateway")
def attach_internet_gateway(context: Context, params: dict[str, Any]) -> None:
    check_dry_run(params)
    gateway = INTERNET_GATEWAYS.get(context, params["InternetGatewayId"])
    vpc = VPCS.get(context, params["VpcId"])
    identifier = gateway["InternetGatewayId"]
    if gateway["Attachments"]:
        attached = gateway["Attachments"][0]["VpcId"]
        raise AWSError("Resource.AlreadyAssociated", f"resource {identifier} is already attached to network {attached}")
    for other in INTERNET_GATEWAYS.all(context):
        if any(attachment["VpcId"] == vpc["VpcId"] for attachment in other["Attachments"]):
            raise AWSError("InvalidParameterValue", f"Network {vpc['VpcId']} already has an internet gateway attached")
    attach(context, gateway, vpc["VpcId"])


@operation("ec2", "DetachInternetGateway")
def detach_internet_gateway(context: Context, params: dict[str, Any]) -> None:
    """Errors: DependencyViolation while public addresses are mapped into the VPC. Routes through it become blackholes."""
    check_dry_run(params)
    gateway = INTERNET_GATEWAYS.get(context, params["InternetGatewayId"])
    vpc = VPCS.get(context, params["VpcId"])
    if not any(attachment["VpcId"] == vpc["VpcId"] for attachment in gateway["Attachments"]):
        raise AWSError("Gateway.NotAttached", f"resource {gateway['InternetGatewayId']} is not attached to network {vpc['VpcId']}")
    public = NAT_GATEWAYS.where(context, VpcId=vpc["VpcId"], ConnectivityType="public")
    mapped = [interface for interface in NETWORK_INTERFACES.where(context, VpcId=vpc["VpcId"]) if interface.get("Association")]
    if public or mapped:
        raise AWSError(
            "DependencyViolation",
            f"Network {vpc['VpcId']} has some mapped public address(es). "
            "Please unmap those public address(es) before detaching the gateway.",
        )
    gateway["Attachments"] = []
    INTERNET_GATEWAYS.put(context, gateway)
    for table in ROUTE_TABLES.where(context, VpcId=vpc["VpcId"]):
        through = [route for route in table["Routes"] if route.get("GatewayId") == gateway["InternetGatewayId"]]
        for route in through:
            route["State"] = "blackhole"
        if through:
            ROUTE_TABLES.put(context, table)


@operation("ec2", "DeleteInternetGateway")
def delete_internet_gateway(context: Context, params: dict[str, Any]) -> None:
    check_dry_run(params)
    gateway = INTERNET_GATEWAYS.get(context, params["InternetGatewayId"])
    identifier = gateway["InternetGatewayId"]
    if gateway["Attachments"]:
        raise AWSError("DependencyViolation", f"The internetGateway '{identifier}' has dependencies and cannot be deleted.")
    INTERNET_GATEWAYS.delete(context, identifier)
