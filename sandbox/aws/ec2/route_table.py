"""Route tables, their routes and their associations with subnets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import cidr, limits, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import INTERNET_GATEWAYS, NAT_GATEWAYS, NETWORK_INTERFACES, ROUTE_TABLES, SUBNETS, VPCS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_TARGETS = {
    "GatewayId": INTERNET_GATEWAYS,
    "NatGatewayId": NAT_GATEWAYS,
    "NetworkInterfaceId": NETWORK_INTERFACES,
}


def local_route(block: str) -> Record:
    return {"DestinationCidrBlock": block, "GatewayId": "local", "Origin": "CreateRouteTable", "State": "active"}


def make(context: Context, vpc: Record, table_tags: list[dict[str, str]], *, main: bool = False) -> Record:
    record: Record = {
        "RouteTableId": ROUTE_TABLES.new_id(context),
        "VpcId": vpc["VpcId"],
        "OwnerId": context.account,
        "Associations": [],
        "PropagatingVgws": [],
        "Routes": [local_route(item["CidrBlock"]) for item in vpc["CidrBlockAssociationSet"]],
        "Tags": table_tags,
    }
    if main:
        record["Associations"].append(_association(context, record, main=True))
        if vpc.get("seeded"):
            record["seeded"] = True
    ROUTE_TABLES.put(context, record)
    return record


def _association(context: Context, table: Record, subnet_id: str = "", *, main: bool = False) -> Record:
    return {
        "RouteTableAssociationId": context.new_id("rtbassoc"),
        "RouteTableId": table["RouteTableId"],
        "Main": main,
        "AssociationState": {"State": "associated"},
        **({"SubnetId": subnet_id} if subnet_id else {}),
    }


def main_of(context: Context, vpc_id: str) -> Record:
    return next(
        table for table in ROUTE_TABLES.where(context, VpcId=vpc_id) if any(association["Main"] for association in table["Associations"])
    )


def of_subnet(context: Context, subnet: Record) -> Record:
    """The table that rules the subnet: its own, or the VPC's main one."""
    for table in ROUTE_TABLES.where(context, VpcId=subnet["VpcId"]):
        if any(association.get("SubnetId") == subnet["SubnetId"] for association in table["Associations"]):
            return table
    return main_of(context, subnet["VpcId"])


def add_route(context: Context, table: Record, route: Record) -> None:
    table["Routes"].append({**route, "Origin": "CreateRoute", "State": "active"})
    ROUTE_TABLES.put(context, table)


def _find(context: Context, association_id: str) -> tuple[Record, Record]:
    for table in ROUTE_TABLES.all(context):
        for association in table["Associations"]:
            if association["RouteTableAssociationId"] == association_id:
                return table, association
    raise AWSError("InvalidAssociationID.NotFound", f"The association ID '{association_id}' does not exist")


@operation("ec2", "CreateRouteTable")
def create_route_table(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    vpc = VPCS.get(context, params["VpcId"])
    table_tags = tags.from_specifications(context, params, "route-table")
    limits.check(context, limits.ROUTE_TABLES, len(ROUTE_TABLES.where(context, VpcId=vpc["VpcId"])))
    return {"RouteTable": wire(make(context, vpc, table_tags))}


@operation("ec2", "DescribeRouteTables")
def describe_route_tables(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = ROUTE_TABLES.select(context, params.get("RouteTableIds"), params.get("Filters"))
    return {"RouteTables": [wire(table) for table in found]}


@operation("ec2", "DeleteRouteTable")
def delete_route_table(context: Context, params: dict[str, Any]) -> None:
    check_dry_run(params)
    table = ROUTE_TABLES.get(context, params["RouteTableId"])
    identifier = table["RouteTableId"]
    if table["Associations"]:
        raise AWSError("DependencyViolation", f"The routeTable '{identifier}' has dependencies and cannot be deleted.")
    ROUTE_TABLES.delete(context, identifier)


@operation("ec2", "AssociateRouteTable")
def associate_route_table(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Errors: other VPC, or the subnet has a table of its own already."""
    check_dry_run(params)
    table = ROUTE_TABLES.get(context, params["RouteTableId"])
    if not params.get("SubnetId"):
        raise AWSError("MissingParameter", "The request must contain the parameter subnetId")
    subnet = SUBNETS.get(context, params["SubnetId"])
    if subnet["VpcId"] != table["VpcId"]:
        raise AWSError(
            "InvalidParameterValue",
            f"route table {table['RouteTableId']} and subnet {subnet['SubnetId']} belong to different networks",
        )
    for other in ROUTE_TABLES.where(context, VpcId=table["VpcId"]):
        for association in other["Associations"]:
            if association.get("SubnetId") == subnet["SubnetId"]:
                if other["RouteTableId"] == table["RouteTableId"]:
                    return {"AssociationId": association["RouteTableAssociationId"], "AssociationState": {"State": "associated"}}
                raise AWSError(
                    "Resource.AlreadyAssociated",
                    f"the specified association for route table {table['RouteTableId']} conflicts with an existing association",
                )
    association = _association(context, table, subnet["SubnetId"])
    table["Associations"].append(association)
    ROUTE_TABLES.put(context, table)
    return {"AssociationId": association["RouteTableAssociationId"], "AssociationState": {"State": "associated"}}


@operation("ec2", "DisassociateRouteTable")
def disassociate_route_table(context: Context, params: dict[str, Any]) -> None:
    check_dry_run(params)
    table, association = _find(context, params["AssociationId"])
    if association["Main"]:
        raise AWSError("InvalidParameterValue", f"cannot disassociate the main route table association {params['AssociationId']}")
    table["Associations"].remove(association)
    ROUTE_TABLES.put(context, table)


@operation("ec2", "ReplaceRouteTableAssociation")
def replace_route_table_association(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    old, association = _find(context, params["AssociationId"])
    new = ROUTE_TABLES.get(context, params["RouteTableId"])
    if old["VpcId"] != new["VpcId"]:
        raise AWSError("InvalidParameterValue", f"route table {new['RouteTableId']} belongs to another network")
    old["Associations"].remove(association)
    ROUTE_TABLES.put(context, old)
    new = ROUTE_TABLES.get(context, params["RouteTableId"])
    moved = _association(context, new, association.get("SubnetId", ""), main=association["Main"])
    new["Associations"].append(moved)
    ROUTE_TABLES.put(context, new)
    return {"NewAssociationId": moved["RouteTableAssociationId"], "AssociationState": {"State": "associated"}}


def _route(context: Context, table: Record, params: dict[str, Any]) -> Record:
    """The route a request describes. Errors: none or several targets, a target not there or of another network."""
    given = [member for member in _TARGETS if params.get(member)]
    if len(given) != 1:
        raise AWSError(
            "InvalidParameterCombination" if given else "MissingParameter",
            "The request must contain exactly one of gatewayId, natGatewayId, networkInterfaceId",
        )
    destination = params.get("DestinationCidrBlock")
    if not destination:
        raise AWSError("MissingParameter", "The request must contain the parameter destinationCidrBlock")
    member = given[0]
    target = params[member]
    if target != "local":
        record = _TARGETS[member].get(context, target)
        if member == "GatewayId":
            if not any(attachment["VpcId"] == table["VpcId"] for attachment in record["Attachments"]):
                raise AWSError(
                    "InvalidParameterValue",
                    f"route table {table['RouteTableId']} and network gateway {target} belong to different networks",
                )
        elif record["VpcId"] != table["VpcId"]:
            raise AWSError(
                "InvalidParameterValue", f"route table {table['RouteTableId']} and interface {target} belong to different networks"
            )
    return {"DestinationCidrBlock": str(cidr.parse(destination, "destinationCidrBlock")), member: target}


def _index(table: Record, destination: str | None) -> int:
    for index, route in enumerate(table["Routes"]):
        if destination and route.get("DestinationCidrBlock") == str(cidr.parse(destination, "destinationCidrBlock")):
            return index
    raise AWSError("InvalidRoute.NotFound", f"no route with destination-cidr-block {destination} in route table {table['RouteTableId']}")


@operation("ec2", "CreateRoute")
def create_route(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Errors: RouteAlreadyExists; the quota."""
    check_dry_run(params)
    table = ROUTE_TABLES.get(context, params["RouteTableId"])
    route = _route(context, table, params)
    for index, other in enumerate(table["Routes"]):
        if other.get("DestinationCidrBlock") == route["DestinationCidrBlock"]:
            if other["State"] == "active":
                raise AWSError("RouteAlreadyExists", f"The route identified by {route['DestinationCidrBlock']} already exists.")
            del table["Routes"][index]  # a blackhole may be replaced
            break
    limits.check(context, limits.ROUTES, len(table["Routes"]))
    add_route(context, table, route)
    return {"Return": True}


@operation("ec2", "ReplaceRoute")
def replace_route(context: Context, params: dict[str, Any]) -> None:
    table = ROUTE_TABLES.get(context, params["RouteTableId"])
    index = _index(table, params.get("DestinationCidrBlock"))
    table["Routes"][index] = {**_route(context, table, params), "Origin": table["Routes"][index]["Origin"], "State": "active"}
    ROUTE_TABLES.put(context, table)


@operation("ec2", "DeleteRoute")
def delete_route(context: Context, params: dict[str, Any]) -> None:
    check_dry_run(params)
    table = ROUTE_TABLES.get(context, params["RouteTableId"])
    index = _index(table, params.get("DestinationCidrBlock"))
    if table["Routes"][index].get("GatewayId") == "local":
        raise AWSError(
            "InvalidParameterValue", f"cannot remove local route {params['DestinationCidrBlock']} in route table {table['RouteTableId']}"
        )
    del table["Routes"][index]
    ROUTE_TABLES.put(context, table)
