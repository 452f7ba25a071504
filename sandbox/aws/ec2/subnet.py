"""Subnets: a block of their VPC in one zone, with as many free addresses as no network interface has taken."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import cidr, limits, network_acl, private_addresses, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import NAT_GATEWAYS, NETWORK_INTERFACES, ROUTE_TABLES, SUBNETS, VPCS
from sandbox.aws.ec2.zones import Zone, zone, zones
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def make(
    context: Context, vpc: Record, where: Zone, block: IPv4Network, subnet_tags: list[dict[str, str]], *, default: bool = False
) -> Record:
    identifier = SUBNETS.new_id(context)
    record: Record = {
        "SubnetId": identifier,
        "SubnetArn": context.arn("ec2", f"subnet/{identifier}"),
        "VpcId": vpc["VpcId"],
        "CidrBlock": str(block),
        "AvailabilityZone": where.name,
        "AvailabilityZoneId": where.id,
        "State": "available",
        "DefaultForAz": default,
        "MapPublicIpOnLaunch": default,
        "MapCustomerOwnedIpOnLaunch": False,
        "AssignIpv6AddressOnCreation": False,
        "EnableDns64": False,
        "Ipv6Native": False,
        "Ipv6CidrBlockAssociationSet": [],
        "PrivateDnsNameOptionsOnLaunch": {
            "HostnameType": "ip-name",
            "EnableResourceNameDnsARecord": False,
            "EnableResourceNameDnsAAAARecord": False,
        },
        "OwnerId": context.account,
        "Tags": subnet_tags,
    }
    if vpc.get("seeded") and default:
        record["seeded"] = True
    SUBNETS.put(context, record)
    network_acl.associate(context, record)
    return record


def view(context: Context, record: Record) -> Record:
    """As Describe answers: with the count of free addresses."""
    free = cidr.usable(record["CidrBlock"]) - private_addresses.taken(context, record["SubnetId"])
    return {**wire(record), "AvailableIpAddressCount": free}


def require_free(context: Context, record: Record, count: int = 1) -> None:
    """Errors: InsufficientFreeAddressesInSubnet. For services that will place interfaces in it."""
    if cidr.usable(record["CidrBlock"]) - private_addresses.taken(context, record["SubnetId"]) < count:
        raise private_addresses.exhausted(record["SubnetId"])


def _choose_zone(context: Context, params: dict[str, Any]) -> Zone:
    name, zone_id = params.get("AvailabilityZone"), params.get("AvailabilityZoneId")
    if name and zone_id:
        raise AWSError("InvalidParameterCombination", "Only one of AvailabilityZone and AvailabilityZoneId can be given")
    known = zones(context.region)
    if not name and not zone_id:
        return known[0]
    found = zone(context.region, str(name or zone_id))
    if found is None:
        member = "availabilityZone" if name else "availabilityZoneId"
        choices = ", ".join(one.name if name else one.id for one in known)
        raise AWSError(
            "InvalidParameterValue",
            f"Value ({name or zone_id}) for parameter {member} is invalid. "
            f"Subnets can currently only be created in the following availability zones: {choices}.",
        )
    return found


@operation("ec2", "CreateSubnet")
def create_subnet(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    vpc = VPCS.get(context, params["VpcId"])
    if not params.get("CidrBlock"):
        raise AWSError("MissingParameter", "Either 'cidrBlock' or 'ipv4IpamPoolId' should be provided.")
    where = _choose_zone(context, params)
    siblings = SUBNETS.where(context, VpcId=vpc["VpcId"])
    vpc_blocks = [item["CidrBlock"] for item in vpc["CidrBlockAssociationSet"]]
    block = cidr.subnet_block(params["CidrBlock"], vpc_blocks, [one["CidrBlock"] for one in siblings])
    subnet_tags = tags.from_specifications(context, params, "subnet")
    limits.check(context, limits.SUBNETS, len(siblings))
    return {"Subnet": view(context, make(context, vpc, where, block, subnet_tags))}


@operation("ec2", "DescribeSubnets")
def describe_subnets(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Subnets": [view(context, record) for record in SUBNETS.select(context, params.get("SubnetIds"), params.get("Filters"))]}


@operation("ec2", "ModifySubnetAttribute")
def modify_subnet_attribute(context: Context, params: dict[str, Any]) -> None:
    record = SUBNETS.get(context, params["SubnetId"])
    switches = ("MapPublicIpOnLaunch", "AssignIpv6AddressOnCreation", "MapCustomerOwnedIpOnLaunch", "EnableDns64")
    given = [member for member in switches if params.get(member) is not None]
    names = {
        "PrivateDnsHostnameTypeOnLaunch": "HostnameType",
        "EnableResourceNameDnsARecordOnLaunch": "EnableResourceNameDnsARecord",
        "EnableResourceNameDnsAAAARecordOnLaunch": "EnableResourceNameDnsAAAARecord",
    }
    given_names = [member for member in names if params.get(member) is not None]
    if len(given) + len(given_names) != 1:
        raise AWSError("InvalidParameterCombination", "Exactly one attribute can be modified at a time")
    for member in given:
        record[member] = bool(params[member].get("Value"))
    for member in given_names:
        value = params[member]
        record["PrivateDnsNameOptionsOnLaunch"][names[member]] = value if isinstance(value, str) else bool(value.get("Value"))
    SUBNETS.put(context, record)


@operation("ec2", "DeleteSubnet")
def delete_subnet(context: Context, params: dict[str, Any]) -> None:
    """Errors: DependencyViolation while a network interface or a NAT gateway is in it. Its route table association ends with it."""
    check_dry_run(params)
    record = SUBNETS.get(context, params["SubnetId"])
    identifier = record["SubnetId"]
    if NETWORK_INTERFACES.where(context, SubnetId=identifier) or NAT_GATEWAYS.where(context, SubnetId=identifier):
        raise AWSError("DependencyViolation", f"The subnet '{identifier}' has dependencies and cannot be deleted.")
    for table in ROUTE_TABLES.where(context, VpcId=record["VpcId"]):
        kept = [association for association in table["Associations"] if association.get("SubnetId") != identifier]
        if len(kept) != len(table["Associations"]):
            table["Associations"] = kept
            ROUTE_TABLES.put(context, table)
    network_acl.disassociate(context, record)
    private_addresses.forget(context, identifier)
    SUBNETS.delete(context, identifier)
