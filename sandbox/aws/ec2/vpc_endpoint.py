"""VPC endpoints: gateways to S3 and DynamoDB (a route in each table they serve) and interface endpoints (interfaces in subnets)."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import limits, network_interface, tags
from sandbox.aws.ec2.filters import apply, members
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import ENDPOINTS, ROUTE_TABLES, SECURITY_GROUPS, VPCS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_GATEWAYS = ("s3", "dynamodb")
_INTERFACES = (
    "s3",
    "ec2",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "logs",
    "monitoring",
    "sagemaker.api",
    "sts",
    "ssm",
    "elasticloadbalancing",
)
_ALL_ALLOWED = json.dumps({"Version": "2008-10-17", "Statement": [{"Action": "*", "Effect": "Allow", "Principal": "*", "Resource": "*"}]})


def prefix_list_id(region: str, service: str) -> str:
    """AWS's list of the addresses of a service in a region."""
    return f"pl-{hashlib.sha256(f'{region}.{service}'.encode()).hexdigest()[:8]}"


def _services(region: str) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for kind, services in (("Gateway", _GATEWAYS), ("Interface", _INTERFACES)):
        for service in services:
            names.setdefault(f"com.amazonaws.{region}.{service}", []).append(kind)
    return names


def _set_routes(context: Context, endpoint: Record, table_ids: list[str], *, present: bool) -> None:
    destination = prefix_list_id(context.region, endpoint["ServiceName"].rpartition(".")[2])
    for table_id in table_ids:
        table = ROUTE_TABLES.get(context, table_id)
        if table["VpcId"] != endpoint["VpcId"]:
            raise AWSError("InvalidParameter", f"Route table {table_id} does not belong to VPC {endpoint['VpcId']}")
        others = [route for route in table["Routes"] if route.get("DestinationPrefixListId") != destination]
        if present and len(others) != len(table["Routes"]):
            raise AWSError(
                "RouteAlreadyExists", f"route table {table_id} already has a route with destination-prefix-list-id {destination}"
            )
        table["Routes"] = others
        if present:
            table["Routes"].append(
                {
                    "DestinationPrefixListId": destination,
                    "GatewayId": endpoint["VpcEndpointId"],
                    "Origin": "CreateRoute",
                    "State": "active",
                }
            )
        ROUTE_TABLES.put(context, table)


@operation("ec2", "CreateVpcEndpoint")
def create_vpc_endpoint(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    vpc = VPCS.get(context, params["VpcId"])
    kind = params.get("VpcEndpointType") or "Gateway"
    service = params.get("ServiceName") or ""
    if kind not in _services(context.region).get(service, []):
        raise AWSError("InvalidServiceName", f"The Vpc Endpoint Service '{service}' does not exist")
    endpoint_tags = tags.from_specifications(context, params, "vpc-endpoint")
    policy = params.get("PolicyDocument") or _ALL_ALLOWED
    try:
        json.loads(policy)
    except ValueError as error:
        raise AWSError("InvalidPolicyDocument", f"Policy document is not valid JSON: {error}") from error
    if kind == "Gateway":
        in_use = [one for one in ENDPOINTS.all(context) if one["VpcEndpointType"] == "Gateway"]
        limits.check(context, limits.GATEWAY_ENDPOINTS, len(in_use))
    record: Record = {
        "VpcEndpointId": ENDPOINTS.new_id(context),
        "VpcEndpointType": kind,
        "VpcId": vpc["VpcId"],
        "ServiceName": service,
        "State": "available",
        "PolicyDocument": policy,
        "RouteTableIds": params.get("RouteTableIds") or [],
        "SubnetIds": params.get("SubnetIds") or [],
        "Groups": [],
        "NetworkInterfaceIds": [],
        "DnsEntries": [],
        "PrivateDnsEnabled": bool(params.get("PrivateDnsEnabled")) if kind == "Interface" else False,
        "RequesterManaged": False,
        "CreationTimestamp": context.timestamp,
        "OwnerId": context.account,
        "Tags": endpoint_tags,
    }
    if kind == "Gateway":
        _set_routes(context, record, record["RouteTableIds"], present=True)
    else:
        _place_interfaces(context, record, params.get("SecurityGroupIds"))
    ENDPOINTS.put(context, record)
    return {"VpcEndpoint": wire(record), "ClientToken": params.get("ClientToken")}


def _place_interfaces(context: Context, endpoint: Record, group_ids: list[str] | None) -> None:
    group_ids = group_ids or [group["GroupId"] for group in SECURITY_GROUPS.where(context, VpcId=endpoint["VpcId"], GroupName="default")]
    endpoint["Groups"] = [
        {"GroupId": group["GroupId"], "GroupName": group["GroupName"]}
        for group in (SECURITY_GROUPS.get(context, group_id) for group_id in group_ids)
    ]
    for subnet_id in endpoint["SubnetIds"]:
        interface = network_interface.make_managed(
            context,
            subnet_id,
            group_ids,
            description=f"VPC Endpoint Interface {endpoint['VpcEndpointId']}",
            requester="amazon-vpc",
            interface_type="vpc_endpoint",
            instance_owner="amazon-aws",
        )
        endpoint["NetworkInterfaceIds"].append(interface["NetworkInterfaceId"])


@operation("ec2", "DescribeVpcEndpoints")
def describe_vpc_endpoints(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = ENDPOINTS.select(context, params.get("VpcEndpointIds"), params.get("Filters"))
    return {"VpcEndpoints": [wire(record) for record in found]}


@operation("ec2", "ModifyVpcEndpoint")
def modify_vpc_endpoint(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = ENDPOINTS.get(context, params["VpcEndpointId"])
    if params.get("ResetPolicy"):
        record["PolicyDocument"] = _ALL_ALLOWED
    if params.get("PolicyDocument"):
        record["PolicyDocument"] = params["PolicyDocument"]
    added = [one for one in params.get("AddRouteTableIds") or [] if one not in record["RouteTableIds"]]
    removed = params.get("RemoveRouteTableIds") or []
    _set_routes(context, record, removed, present=False)
    _set_routes(context, record, added, present=True)
    record["RouteTableIds"] = [one for one in record["RouteTableIds"] if one not in removed] + added
    ENDPOINTS.put(context, record)
    return {"Return": True}


@operation("ec2", "DeleteVpcEndpoints")
def delete_vpc_endpoints(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Those not there come back in Unsuccessful; the others go."""
    check_dry_run(params)
    unsuccessful = []
    for identifier in params["VpcEndpointIds"]:
        record = ENDPOINTS.find(context, identifier)
        if record is None:
            error = ENDPOINTS.missing(identifier)
            unsuccessful.append({"ResourceId": identifier, "Error": {"Code": error.code, "Message": error.message}})
            continue
        for interface_id in record["NetworkInterfaceIds"]:
            network_interface.delete_managed(context, interface_id)
        remaining = [one for one in record["RouteTableIds"] if ROUTE_TABLES.find(context, one) is not None]
        if record["VpcEndpointType"] == "Gateway":
            _set_routes(context, record, remaining, present=False)
        ENDPOINTS.delete(context, identifier)
    return {"Unsuccessful": unsuccessful}


@operation("ec2", "DescribeVpcEndpointServices")
def describe_vpc_endpoint_services(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    details = [
        {
            "ServiceName": name,
            "ServiceType": [{"ServiceType": kind} for kind in kinds],
            "Owner": "amazon",
            "AcceptanceRequired": False,
            "VpcEndpointPolicySupported": True,
        }
        for name, kinds in sorted(_services(context.region).items())
        if not params.get("ServiceNames") or name in params["ServiceNames"]
    ]
    readers = {**members(service_name="ServiceName"), "service-type": lambda record: [one["ServiceType"] for one in record["ServiceType"]]}
    details = apply(details, params.get("Filters"), readers)
    return {"ServiceNames": [detail["ServiceName"] for detail in details], "ServiceDetails": details}


@operation("ec2", "DescribePrefixLists")
def describe_prefix_lists(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    blocks = {"s3": ["52.216.0.0/15", "3.5.0.0/19"], "dynamodb": ["52.94.0.0/22"]}
    lists = [
        {
            "PrefixListId": prefix_list_id(context.region, service),
            "PrefixListName": f"com.amazonaws.{context.region}.{service}",
            "Cidrs": blocks[service],
        }
        for service in _GATEWAYS
    ]
    wanted = params.get("PrefixListIds")
    if wanted:
        lists = [one for one in lists if one["PrefixListId"] in wanted]
    return {"PrefixLists": apply(lists, params.get("Filters"), members(prefix_list_id="PrefixListId", prefix_list_name="PrefixListName"))}
