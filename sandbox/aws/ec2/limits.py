"""Quotas that EC2 and VPC enforce: values come from the service-quotas the sandbox simulates, so raising one there counts here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandbox.aws.errors import AWSError
from sandbox.aws.service_quotas.values import value_of

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@dataclass(frozen=True)
class Limit:
    service: str
    quota_code: str
    name: str
    default: float
    """AWS's default, used when the quota table does not know the code. Source: VPC User Guide, "Amazon VPC quotas"."""
    error_code: str
    message: str


VPCS = Limit("vpc", "L-F678F1CE", "VPCs per Region", 5, "VpcLimitExceeded", "The maximum number of VPCs has been reached.")
INTERNET_GATEWAYS = Limit(
    "vpc",
    "L-A4707A72",
    "Internet gateways per Region",
    5,
    "InternetGatewayLimitExceeded",
    "The maximum number of internet gateways has been reached.",
)
NAT_GATEWAYS = Limit(
    "vpc",
    "L-FE5A380F",
    "NAT gateways per Availability Zone",
    5,
    "NatGatewayLimitExceeded",
    "Performing this operation would exceed the limit of {value} NAT gateways",
)
ADDRESSES = Limit(
    "ec2", "L-0263D0A3", "EC2-VPC Elastic IPs", 5, "AddressLimitExceeded", "The maximum number of addresses has been reached."
)
SUBNETS = Limit("vpc", "L-407747CB", "Subnets per VPC", 200, "SubnetLimitExceeded", "The maximum number of subnets has been reached.")
ROUTE_TABLES = Limit(
    "vpc", "L-589F43AA", "Route tables per VPC", 200, "RouteTableLimitExceeded", "The maximum number of route tables has been reached."
)
ROUTES = Limit("vpc", "L-93826ACB", "Routes per route table", 500, "RouteLimitExceeded", "The maximum number of routes has been reached.")
SECURITY_GROUPS = Limit(
    "vpc",
    "L-E79EC296",
    "VPC security groups per Region",
    2500,
    "SecurityGroupLimitExceeded",
    "The maximum number of security groups has been reached.",
)
RULES = Limit(
    "vpc",
    "L-0EA8095F",
    "Inbound or outbound rules per security group",
    60,
    "RulesPerSecurityGroupLimitExceeded",
    "The maximum number of rules per security group has been reached.",
)
GATEWAY_ENDPOINTS = Limit(
    "vpc",
    "L-1B52E74A",
    "Gateway VPC endpoints per Region",
    20,
    "VpcEndpointLimitExceeded",
    "The maximum number of VPC endpoints has been reached.",
)
NETWORK_INTERFACES = Limit(
    "vpc",
    "L-DF5E4CA3",
    "Network interfaces per Region",
    5000,
    "NetworkInterfaceLimitExceeded",
    "The maximum number of network interfaces has been reached.",
)


def check(context: Context, limit: Limit, in_use: int, more: int = 1) -> None:
    """Errors: the limit's own, when `more` on top of `in_use` would exceed it or a `quota_reached` scenario names it."""
    value = quota_value(context, limit)
    reached = context.world.faults.scenario("quota_reached", name=limit.name) is not None
    if reached or in_use + more > value:
        raise AWSError(limit.error_code, limit.message.format(value=int(value)))


def quota_value(context: Context, limit: Limit) -> float:
    """The value in force; AWS's default for a quota that the catalogue does not have."""
    value = value_of(context, limit.service, limit.quota_code)
    return limit.default if value is None else value
