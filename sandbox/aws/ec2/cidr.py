"""Address blocks as VPCs and subnets take them."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network

from sandbox.aws.errors import AWSError

RESERVED = 5
"""Addresses of every subnet that AWS keeps: network, router, DNS, future use, broadcast."""


def parse(text: str, parameter: str = "cidrBlock") -> IPv4Network:
    """The block; EC2 takes the network of an address with host bits set. Errors: InvalidParameterValue when it is no block."""
    try:
        if "/" not in text:
            raise ValueError(text)
        return IPv4Network(text, strict=False)
    except ValueError as error:
        raise AWSError(
            "InvalidParameterValue", f"Value ({text}) for parameter {parameter} is invalid. This is not a valid CIDR block."
        ) from error


def vpc_block(text: str) -> IPv4Network:
    network = parse(text)
    if not 16 <= network.prefixlen <= 28:
        raise AWSError("InvalidVpc.Range", f"The CIDR '{text}' is invalid.")
    return network


def subnet_block(text: str, vpc_blocks: Iterable[str], others: Iterable[str]) -> IPv4Network:
    """A subnet's block. Errors: not /16 to /28, not within one block of its VPC, or overlapping another subnet."""
    network = parse(text)
    if not 16 <= network.prefixlen <= 28:
        raise AWSError("InvalidSubnet.Range", f"The CIDR '{text}' is invalid.")
    if not any(network.subnet_of(IPv4Network(block)) for block in vpc_blocks):
        raise AWSError("InvalidSubnet.Range", f"The CIDR '{text}' is invalid.")
    if any(network.overlaps(IPv4Network(other)) for other in others):
        raise AWSError("InvalidSubnet.Conflict", f"The CIDR '{text}' conflicts with another subnet")
    return network


def usable(block: str) -> int:
    """How many addresses of a subnet are there to be taken."""
    return IPv4Network(block).num_addresses - RESERVED
