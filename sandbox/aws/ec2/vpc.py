"""VPCs, with what is made together with one: main route table, default security group, default network ACL."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import cidr, dhcp_options, limits, network_acl, route_table, security_group, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import (
    ENDPOINTS,
    INTERNET_GATEWAYS,
    NAT_GATEWAYS,
    NETWORK_ACLS,
    NETWORK_INTERFACES,
    ROUTE_TABLES,
    SECURITY_GROUPS,
    SUBNETS,
    VPCS,
)
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_ATTRIBUTES = {
    "enableDnsSupport": "EnableDnsSupport",
    "enableDnsHostnames": "EnableDnsHostnames",
    "enableNetworkAddressUsageMetrics": "EnableNetworkAddressUsageMetrics",
}


def make(context: Context, block: IPv4Network, vpc_tags: list[dict[str, str]], *, tenancy: str = "default", seeded: bool = False) -> Record:
    """A VPC and its companions. `seeded`: the region's default VPC."""
    identifier = VPCS.new_id(context)
    vpc: Record = {
        "VpcId": identifier,
        "CidrBlock": str(block),
        "CidrBlockAssociationSet": [_association(context, block)],
        "Ipv6CidrBlockAssociationSet": [],
        "DhcpOptionsId": dhcp_options.default_id(context),
        "InstanceTenancy": tenancy,
        "IsDefault": seeded,
        "OwnerId": context.account,
        "State": "available",
        "Tags": vpc_tags,
        "attributes": {"enableDnsSupport": True, "enableDnsHostnames": seeded, "enableNetworkAddressUsageMetrics": False},
    }
    if seeded:
        vpc["seeded"] = True
    VPCS.put(context, vpc)
    route_table.make(context, vpc, [], main=True)
    security_group.make_default(context, vpc)
    network_acl.make_default(context, vpc)
    return vpc


def _association(context: Context, block: IPv4Network) -> Record:
    return {
        "AssociationId": context.new_id("vpc-cidr-assoc"),
        "CidrBlock": str(block),
        "CidrBlockState": {"State": "associated"},
    }


def blocks(vpc: Record) -> list[str]:
    return [item["CidrBlock"] for item in vpc["CidrBlockAssociationSet"]]


@operation("ec2", "CreateVpc")
def create_vpc(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    if not params.get("CidrBlock"):
        raise AWSError("MissingParameter", "The request must contain the parameter cidrBlock")
    block = cidr.vpc_block(params["CidrBlock"])
    vpc_tags = tags.from_specifications(context, params, "vpc")
    limits.check(context, limits.VPCS, len(VPCS.all(context)))
    return {"Vpc": wire(make(context, block, vpc_tags, tenancy=params.get("InstanceTenancy", "default")))}


@operation("ec2", "DescribeVpcs")
def describe_vpcs(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Vpcs": [wire(vpc) for vpc in VPCS.select(context, params.get("VpcIds"), params.get("Filters"))]}


@operation("ec2", "DeleteVpc")
def delete_vpc(context: Context, params: dict[str, Any]) -> None:
    """Errors: DependencyViolation while it holds a subnet, gateway, endpoint, interface, or a group, table or ACL of one's own."""
    check_dry_run(params)
    vpc = VPCS.get(context, params["VpcId"])
    identifier = vpc["VpcId"]
    if blockers(context, identifier):
        raise AWSError("DependencyViolation", f"The vpc '{identifier}' has dependencies and cannot be deleted.")
    for table in (ROUTE_TABLES, SECURITY_GROUPS, NETWORK_ACLS):
        for record in table.where(context, VpcId=identifier):
            table.delete(context, record[table.key])
    VPCS.delete(context, identifier)


def blockers(context: Context, vpc_id: str) -> list[str]:
    """Identifiers of what keeps the VPC from being deleted."""
    found = [record["SubnetId"] for record in SUBNETS.where(context, VpcId=vpc_id)]
    found += [
        gateway["InternetGatewayId"]
        for gateway in INTERNET_GATEWAYS.all(context)
        if any(attachment["VpcId"] == vpc_id for attachment in gateway["Attachments"])
    ]
    found += [record["NatGatewayId"] for record in NAT_GATEWAYS.where(context, VpcId=vpc_id)]
    found += [record["VpcEndpointId"] for record in ENDPOINTS.where(context, VpcId=vpc_id)]
    found += [record["NetworkInterfaceId"] for record in NETWORK_INTERFACES.where(context, VpcId=vpc_id)]
    found += [
        table["RouteTableId"]
        for table in ROUTE_TABLES.where(context, VpcId=vpc_id)
        if not any(association["Main"] for association in table["Associations"])
    ]
    found += [group["GroupId"] for group in SECURITY_GROUPS.where(context, VpcId=vpc_id) if group["GroupName"] != "default"]
    found += [acl["NetworkAclId"] for acl in NETWORK_ACLS.where(context, VpcId=vpc_id) if not acl["IsDefault"]]
    return found


@operation("ec2", "DescribeVpcAttribute")
def describe_vpc_attribute(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    vpc = VPCS.get(context, params["VpcId"])
    attribute = params.get("Attribute", "")
    if attribute not in _ATTRIBUTES:
        raise AWSError("InvalidParameterValue", f"Value ({attribute}) for parameter attribute is invalid. Unknown attribute.")
    return {"VpcId": vpc["VpcId"], _ATTRIBUTES[attribute]: {"Value": vpc["attributes"][attribute]}}


@operation("ec2", "ModifyVpcAttribute")
def modify_vpc_attribute(context: Context, params: dict[str, Any]) -> None:
    """One attribute a call, as EC2 wants; DNS names need DNS support."""
    vpc = VPCS.get(context, params["VpcId"])
    given = [(name, member) for name, member in _ATTRIBUTES.items() if params.get(member) is not None]
    if len(given) != 1:
        raise AWSError(
            "InvalidParameterCombination", "Fields for multiple attribute types specified" if given else "No attributes specified."
        )
    (name, member) = given[0]
    value = bool(params[member].get("Value"))
    if name == "enableDnsHostnames" and value and not vpc["attributes"]["enableDnsSupport"]:
        raise AWSError("InvalidParameterCombination", "DNS hostnames can be enabled only when DNS support is enabled")
    vpc["attributes"][name] = value
    VPCS.put(context, vpc)


@operation("ec2", "AssociateVpcCidrBlock")
def associate_vpc_cidr_block(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    vpc = VPCS.get(context, params["VpcId"])
    block = cidr.vpc_block(params.get("CidrBlock") or "")
    if any(block.overlaps(IPv4Network(other)) for other in blocks(vpc)):
        raise AWSError("InvalidVpc.Range", f"The CIDR '{block}' conflicts with another CIDR block of the VPC")
    if len(vpc["CidrBlockAssociationSet"]) >= 5:
        raise AWSError("CidrLimitExceeded", f"This network '{vpc['VpcId']}' has met its maximum number of allowed CIDRs: 5")
    association = _association(context, block)
    vpc["CidrBlockAssociationSet"].append(association)
    VPCS.put(context, vpc)
    for table in ROUTE_TABLES.where(context, VpcId=vpc["VpcId"]):
        table["Routes"].append(route_table.local_route(str(block)))
        ROUTE_TABLES.put(context, table)
    return {"VpcId": vpc["VpcId"], "CidrBlockAssociation": association}


@operation("ec2", "DisassociateVpcCidrBlock")
def disassociate_vpc_cidr_block(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    for vpc in VPCS.all(context):
        for association in vpc["CidrBlockAssociationSet"]:
            if association["AssociationId"] != params["AssociationId"]:
                continue
            block = IPv4Network(association["CidrBlock"])
            if str(block) == vpc["CidrBlock"]:
                raise AWSError(
                    "OperationNotPermitted",
                    f"The vpc CIDR block with association ID {params['AssociationId']} may not be disassociated. "
                    "It is the primary IPv4 CIDR block of the VPC",
                )
            if any(IPv4Network(subnet["CidrBlock"]).subnet_of(block) for subnet in SUBNETS.where(context, VpcId=vpc["VpcId"])):
                raise AWSError("InvalidCidrBlock.InUse", f"The vpc {vpc['VpcId']} currently has a subnet within CIDR block {block}")
            vpc["CidrBlockAssociationSet"].remove(association)
            VPCS.put(context, vpc)
            for table in ROUTE_TABLES.where(context, VpcId=vpc["VpcId"]):
                table["Routes"] = [route for route in table["Routes"] if route.get("DestinationCidrBlock") != str(block)]
                ROUTE_TABLES.put(context, table)
            return {"VpcId": vpc["VpcId"], "CidrBlockAssociation": {**association, "CidrBlockState": {"State": "disassociated"}}}
    raise AWSError(
        "InvalidVpcCidrBlockAssociationID.NotFound", f"The vpc CIDR block association ID '{params['AssociationId']}' does not exist"
    )
