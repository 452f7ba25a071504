"""Which stacks a cluster has, and how the resources of each are called where they are compared."""

from __future__ import annotations

from clusters import names
from clusters.groups import network
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import StackReading

OF_STACK = "stack/"


def of_cluster(reader: ClusterReader) -> dict[str, StackReading]:
    """Part → stack, of all that are there: the control plane's first, then those of subnets made for groups. CloudError."""
    found = {names.CONTROL_PLANE: reader.stack} if reader.stack is not None else {}
    return {**found, **{part_of(reader.name, stack.name): stack for stack in network.all_of(reader)}}


def part_of(cluster: str, stack: str) -> str:
    """The stack's name without what all of a cluster's have in common."""
    return stack.removeprefix(names.stack(cluster, ""))


def resource(part: str, logical_id: str) -> str:
    """How drift names a resource of a stack."""
    return f"{OF_STACK}{logical_id}" if part == names.CONTROL_PLANE else f"{OF_STACK}{part}/{logical_id}"


def split(named: str) -> tuple[str, str]:
    """Part and logical name of what `resource` has named."""
    part, _, logical_id = named.removeprefix(OF_STACK).rpartition("/")
    return part or names.CONTROL_PLANE, logical_id
