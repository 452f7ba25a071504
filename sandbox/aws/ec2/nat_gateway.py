"""NAT gateways: pending, about two minutes later available; deleting, a minute later deleted, and then seen for an hour more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox import timeline
from sandbox.agenda import agenda_handler
from sandbox.aws.ec2 import address, filters, limits, network_interface, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import ADDRESSES, INTERNET_GATEWAYS, NAT_GATEWAYS, NETWORK_INTERFACES, ROUTE_TABLES, SUBNETS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_GONE = "_ec2.deleted-nat-gateway"
_SEEN_AFTERWARDS = 3600.0  # NAT gateway guide: a deleted one is visible for about an hour
_TOKENS = "_ec2.nat-gateway-token"


def _view(context: Context, record: Record) -> Record:
    return {**wire(record), "State": timeline.status(record["timeline"], context.now)}


def _gone(context: Context) -> list[Record]:
    return [
        record
        for record in context.world.store.list(_GONE, context.scope)
        if timeline.ends(record["timeline"]) + _SEEN_AFTERWARDS > context.now
    ]


@operation("ec2", "CreateNatGateway")
def create_nat_gateway(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Errors: EIP taken or not there, subnet not there; without an internet gateway it becomes `failed`, as on AWS."""
    check_dry_run(params)
    store = context.world.store
    token = params.get("ClientToken")
    earlier = store.get(_TOKENS, context.scope, token) if token else None
    if earlier is not None:
        made = NAT_GATEWAYS.find(context, earlier["NatGatewayId"])
        if made is not None:
            return {"NatGateway": _view(context, made), "ClientToken": token}
    if not params.get("SubnetId"):
        raise AWSError("MissingParameter", "The request must contain the parameter subnetId")
    subnet = SUBNETS.get(context, params["SubnetId"])
    public = params.get("ConnectivityType", "public") == "public"
    elastic: Record | None = None
    if public:
        if not params.get("AllocationId"):
            raise AWSError("MissingParameter", "The request must contain the parameter AllocationId")
        elastic = ADDRESSES.get(context, params["AllocationId"])
        if elastic.get("AssociationId"):
            raise AWSError("InvalidElasticIpID.InUse", f"Elastic IP address [{elastic['AllocationId']}] is already associated")
    elif params.get("AllocationId"):
        raise AWSError("InvalidParameterCombination", "AllocationId cannot be given for a private NAT gateway")
    gateway_tags = tags.from_specifications(context, params, "natgateway")
    same_zone = [one for one in NAT_GATEWAYS.all(context) if one["zone"] == subnet["AvailabilityZone"]]
    limits.check(context, limits.NAT_GATEWAYS, len(same_zone))
    identifier = NAT_GATEWAYS.new_id(context)
    interface = network_interface.make_managed(
        context,
        subnet["SubnetId"],
        [],
        description=f"Interface for NAT Gateway {identifier}",
        requester="amazon-vpc",
        interface_type="nat_gateway",
        instance_owner="amazon-aws",
    )
    association = address.associate(context, elastic, interface) if elastic else None
    online = not public or any(
        attachment["VpcId"] == subnet["VpcId"] for gateway in INTERNET_GATEWAYS.all(context) for attachment in gateway["Attachments"]
    )
    record: Record = {
        "NatGatewayId": identifier,
        "SubnetId": subnet["SubnetId"],
        "VpcId": subnet["VpcId"],
        "ConnectivityType": "public" if public else "private",
        "CreateTime": context.timestamp,
        "NatGatewayAddresses": [
            {
                "NetworkInterfaceId": interface["NetworkInterfaceId"],
                "PrivateIp": interface["PrivateIpAddress"],
                "IsPrimary": True,
                "Status": "succeeded",
                **(
                    {"AllocationId": elastic["AllocationId"], "PublicIp": elastic["PublicIp"], "AssociationId": association}
                    if elastic
                    else {}
                ),
            }
        ],
        "Tags": gateway_tags,
        "zone": subnet["AvailabilityZone"],
        "timeline": timeline.begin(context.now, ("pending", duration("ec2.nat-gateway.create")), "available" if online else "failed"),
    }
    if not online:
        record["FailureCode"] = "Gateway.NotAttached"
        record["FailureMessage"] = f"Network {subnet['VpcId']} has no Internet gateway attached"
    NAT_GATEWAYS.put(context, record)
    if token:
        store.put(_TOKENS, context.scope, token, {"NatGatewayId": identifier})
    return {"NatGateway": _view(context, record), "ClientToken": token}


@operation("ec2", "DescribeNatGateways")
def describe_nat_gateways(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    records = [*NAT_GATEWAYS.all(context), *_gone(context)]
    wanted = params.get("NatGatewayIds")
    if wanted:
        known = {record["NatGatewayId"]: record for record in records}
        for identifier in wanted:
            if identifier not in known:
                raise NAT_GATEWAYS.missing(identifier)
        records = [known[identifier] for identifier in wanted]
    views = [_view(context, record) for record in records]
    return {"NatGateways": filters.apply(views, params.get("Filter") or params.get("Filters"), NAT_GATEWAYS.readers)}


@operation("ec2", "DeleteNatGateway")
def delete_nat_gateway(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Its address is free once it is deleted; routes through it become blackholes at once."""
    check_dry_run(params)
    identifier = params["NatGatewayId"]
    record = NAT_GATEWAYS.find(context, identifier)
    if record is None:
        if any(gone["NatGatewayId"] == identifier for gone in _gone(context)):
            return {"NatGatewayId": identifier}
        raise NAT_GATEWAYS.missing(identifier)
    if timeline.status(record["timeline"], context.now) == "deleting":
        return {"NatGatewayId": identifier}
    seconds = duration("ec2.nat-gateway.delete")
    record["timeline"] = timeline.begin(context.now, ("deleting", seconds), "deleted")
    record["DeleteTime"] = context.timestamp
    NAT_GATEWAYS.put(context, record)
    for table in ROUTE_TABLES.where(context, VpcId=record["VpcId"]):
        through = [route for route in table["Routes"] if route.get("NatGatewayId") == identifier]
        for route in through:
            route["State"] = "blackhole"
        if through:
            ROUTE_TABLES.put(context, table)
    context.schedule(context.now + seconds, "ec2.nat-gateway.deleted", {"id": identifier})
    return {"NatGatewayId": identifier}


@agenda_handler("ec2.nat-gateway.deleted")
def nat_gateway_deleted(context: Context, payload: dict[str, Any]) -> None:
    record = NAT_GATEWAYS.find(context, payload["id"])
    if record is None:
        return
    for one in record["NatGatewayAddresses"]:
        if NETWORK_INTERFACES.find(context, one["NetworkInterfaceId"]) is not None:
            network_interface.delete_managed(context, one["NetworkInterfaceId"])
    NAT_GATEWAYS.delete(context, payload["id"])
    context.world.store.put(_GONE, context.scope, payload["id"], record)
