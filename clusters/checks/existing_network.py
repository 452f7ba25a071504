"""A network that is there already: whether it has what the stack would have made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clusters.checks.registry import Subject, check, failed, passed, warning
from operations.plan import Check

CODE, TITLE, FIELD = "existing_network", "Existing network", "network.existing"


@check(CODE, TITLE)
def network_has_what_is_needed(subject: Subject) -> Iterator[Check]:
    asked = subject.input.network.existing
    if asked is None:
        return
    found = subject.facts.wait("network")
    if found["vpc"] is None:
        yield failed(
            "vpc_not_found",
            TITLE,
            f"There is no VPC {asked.vpc_id} in {subject.spec.region}.",
            "Check its id and the region.",
            f"{FIELD}.vpc_id",
        )
        return
    rows = [*_subnets(subject, found), *_dns(found), *_routes(subject, found)]
    yield from rows or [passed(CODE, TITLE, f"{asked.vpc_id} has two private subnets, routes out, DNS names and a way to S3.")]


def _subnets(subject: Subject, found: dict[str, Any]) -> Iterator[Check]:
    network = subject.spec.network
    for subnet in [*network.private, network.compute]:
        if subnet.id not in found["subnets"]:
            yield failed(
                "subnet_not_found", TITLE, f"The VPC {network.vpc_id} has no subnet {subnet.id}.", "Choose subnets of that VPC.", FIELD
            )
    if len({subnet.zone.name for subnet in network.private}) < 2:
        yield failed(
            "subnets_in_one_zone",
            TITLE,
            "EKS needs private subnets in two zones.",
            "Name subnets of two zones.",
            f"{FIELD}.private_subnet_ids",
        )


def _dns(found: dict[str, Any]) -> Iterator[Check]:
    off = [name for name in ("enableDnsSupport", "enableDnsHostnames") if not found.get(name)]
    if off:
        yield failed(
            "vpc_dns_off",
            TITLE,
            f"The VPC has {' and '.join(off)} switched off: the private endpoint of EKS would not resolve.",
            "Switch it on: aws ec2 modify-vpc-attribute.",
            f"{FIELD}.vpc_id",
        )


def _routes(subject: Subject, found: dict[str, Any]) -> Iterator[Check]:
    compute = subject.spec.network.compute
    table = _table_of(compute.id, found["route_tables"])
    default = next((route for route in (table or {}).get("Routes", []) if route.get("DestinationCidrBlock") == "0.0.0.0/0"), None)
    if default is None:
        yield warning(
            "no_route_out",
            TITLE,
            f"The nodes' subnet {compute.id} has no default route: images and AWS APIs are reached only through VPC endpoints.",
            "Add a NAT gateway, or endpoints for ECR, STS, SageMaker, EKS and CloudWatch Logs.",
            f"{FIELD}.compute_subnet_id",
        )
    elif str(default.get("GatewayId", "")).startswith("igw-"):
        yield warning(
            "compute_subnet_public",
            TITLE,
            f"The nodes' subnet {compute.id} routes to an internet gateway; nodes have no public address and reach nothing through it.",
            "Choose a subnet that routes through a NAT gateway.",
            f"{FIELD}.compute_subnet_id",
        )
    has_s3 = any(
        str(endpoint.get("ServiceName", "")).endswith(".s3") and (table or {}).get("RouteTableId") in endpoint.get("RouteTableIds", [])
        for endpoint in found["endpoints"]
    )
    if not has_s3:
        yield warning(
            "no_s3_endpoint",
            TITLE,
            f"The nodes' subnet {compute.id} has no S3 gateway endpoint: traffic to S3 goes through the NAT gateway and is billed.",
            "Add a gateway endpoint for S3 to its route table; it costs nothing.",
            f"{FIELD}.compute_subnet_id",
        )


def _table_of(subnet_id: str, tables: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The subnet's own route table, else the VPC's main one."""
    for table in tables:
        if any(association.get("SubnetId") == subnet_id for association in table.get("Associations", [])):
            return table
    return next((table for table in tables if any(association.get("Main") for association in table.get("Associations", []))), None)
