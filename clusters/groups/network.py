"""Subnets that are added for instance groups: each in a small stack of its own, in a range of the VPC that nobody has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from ipaddress import IPv4Network
from typing import Any

from clusters import names, tags
from clusters.checks.resolve import COMPUTE_PREFIX, vpc_networks
from clusters.reading.hyperpod import HyperPodReading
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import StackReading, read_stack
from clusters.template.document import Template
from clusters.template.group_network import DEFAULT_ROUTE, EVERYWHERE, SUBNET, SUBNET_ID, group_network
from instantstart.cloud.aws import Aws
from operations.step import Fault

WAYS_OUT = ("NatGatewayId", "TransitGatewayId", "NetworkInterfaceId")
"""What a default route may go to for nodes, which have no public address; the same words in EC2's answers and in templates."""
LARGEST_PREFIX = 16
KEPT_BY_AWS = 5
STACK_NAME_TAG = "aws:cloudformation:stack-name"


@dataclass(frozen=True)
class GroupNetwork:
    """One such stack, before it is made.

    part: the stack's name without what all of a cluster's have in common. through, target: the default route's property and the
    id in it.
    """

    stack: str
    part: str
    vpc: str
    zone: str
    cidr: str
    through: str
    target: str

    @property
    def placeholder(self) -> str:
        """Stands in a group's request for the subnet's id while there is none."""
        return f"the subnet of {self.stack}"

    @property
    def addresses(self) -> int:
        return IPv4Network(self.cidr).num_addresses - KEPT_BY_AWS

    def template(self) -> Template:
        return group_network(self.stack, self.vpc, self.zone, self.cidr, (self.through, self.target))

    def as_json(self) -> dict[str, str]:
        return asdict(self)

    def as_subnet(self) -> dict[str, Any]:
        """As DescribeSubnets will tell of it."""
        return {"AvailabilityZone": self.zone, "CidrBlock": self.cidr, "AvailableIpAddressCount": self.addresses, "VpcId": self.vpc}


@dataclass(frozen=True)
class Surroundings:
    """The network that a subnet is added to. base: the cluster's own compute subnet; way_out: of its default route, None for none."""

    vpc: str
    ranges: tuple[IPv4Network, ...]
    base: Mapping[str, Any]
    subnets: Mapping[str, Mapping[str, Any]]
    way_out: tuple[str, str] | None
    zones: tuple[str, ...]

    @property
    def zone(self) -> str:
        return str(self.base["AvailabilityZone"])

    @property
    def taken(self) -> list[IPv4Network]:
        return [IPv4Network(one["CidrBlock"]) for one in self.subnets.values() if one.get("CidrBlock")]


def surroundings(aws: Aws, base: str) -> Surroundings | None:
    """What is around that subnet, None when it is not there. CloudError."""
    found = next(iter(aws.pages("ec2", "describe_subnets", "Subnets", Filters=[{"Name": "subnet-id", "Values": [base]}])), None)
    if found is None:
        return None
    within = [{"Name": "vpc-id", "Values": [found["VpcId"]]}]
    vpcs = [vpc for vpc in aws.pages("ec2", "describe_vpcs", "Vpcs") if vpc["VpcId"] == found["VpcId"]]
    subnets = {one["SubnetId"]: one for one in aws.pages("ec2", "describe_subnets", "Subnets", Filters=within)}
    tables = list(aws.pages("ec2", "describe_route_tables", "RouteTables", Filters=within))
    zones = aws.read("ec2", "describe_availability_zones")["AvailabilityZones"]
    return Surroundings(
        vpc=str(found["VpcId"]),
        ranges=tuple(network for _, network in vpc_networks(vpcs)),
        base=found,
        subnets=subnets,
        way_out=_way_out(base, tables),
        zones=tuple(sorted(str(zone["ZoneName"]) for zone in zones if zone.get("ZoneType", "availability-zone") == "availability-zone")),
    )


def _way_out(subnet: str, tables: Iterable[Mapping[str, Any]]) -> tuple[str, str] | None:
    known = list(tables)
    own = [one for one in known if any(item.get("SubnetId") == subnet for item in one.get("Associations", ()))]
    main = [one for one in known if any(item.get("Main") for item in one.get("Associations", ()))]
    for route in (own or main or [{}])[0].get("Routes", ()):
        if route.get("DestinationCidrBlock") == EVERYWHERE:
            return next(((member, str(route[member])) for member in WAYS_OUT if route.get(member)), None)
    return None


def free_range(around: Surroundings, needed: int, taken: Iterable[IPv4Network]) -> IPv4Network | None:
    """The first /20 of the VPC that meets no subnet, or a larger one where the nodes need it; None when none is left."""
    prefix = COMPUTE_PREFIX
    while 2 ** (32 - prefix) - KEPT_BY_AWS < needed and prefix > LARGEST_PREFIX:
        prefix -= 1
    others = [*around.taken, *taken]
    blocks = (block for whole in around.ranges if whole.prefixlen <= prefix for block in whole.subnets(new_prefix=prefix))
    return next((block for block in blocks if not any(block.overlaps(other) for other in others)), None)


def ours(stack: StackReading, cluster: str) -> bool:
    """Whether it was made for this cluster: names alone may be another's."""
    return stack.tags.get(tags.CLUSTER) == cluster and stack.name.startswith(names.network_prefixes(cluster))


def subnet_of(stack: StackReading) -> str:
    return stack.outputs.get(SUBNET_ID, "")


def begun(aws: Aws, stack: str, part: str) -> GroupNetwork | None:
    """What a stack that is not complete was made of; None when its template does not say. CloudError."""
    return made_of(aws.read("cloudformation", "get_template", StackName=stack)["TemplateBody"], stack, part)


def made_of(template: Any, stack: str, part: str) -> GroupNetwork | None:
    """The same, of the template that it has."""
    try:
        made = (json.loads(template) if isinstance(template, str) else template)["Resources"]
        subnet, route = made[SUBNET]["Properties"], made[DEFAULT_ROUTE]["Properties"]
        through = next(member for member in WAYS_OUT if member in route)
        return GroupNetwork(stack, part, subnet["VpcId"], subnet["AvailabilityZone"], subnet["CidrBlock"], through, route[through])
    except (ValueError, KeyError, TypeError, StopIteration):
        return None


def all_of(reader: ClusterReader) -> list[StackReading]:
    """Every such stack of the cluster, whichever group it was made for. CloudError."""
    return list(_all_of(reader.aws, reader.name))


def _all_of(aws: Aws, cluster: str) -> Iterator[StackReading]:
    prefixes = names.network_prefixes(cluster)
    for one in aws.pages("cloudformation", "list_stacks", "StackSummaries"):
        if one["StackName"].startswith(prefixes) and one["StackStatus"] != "DELETE_COMPLETE":
            stack = read_stack(aws, one["StackId"])
            if stack is not None and ours(stack, cluster):
                yield stack


def of_group(reader: ClusterReader, found: HyperPodReading | None, group: str) -> list[StackReading]:
    """The stacks that a group's going leaves without a purpose: that of its own, and that of its zone where no other group is in it."""
    known = {names.group_network(reader.name, group)}
    there = found.group(group) if found is not None else None
    subnets = list(((there.raw.get("OverrideVpcConfig") or {}).get("Subnets")) or ()) if there is not None else []
    if subnets:
        for one in reader.aws.pages("ec2", "describe_subnets", "Subnets", Filters=[{"Name": "subnet-id", "Values": subnets}]):
            name = tags.as_dict(one.get("Tags")).get(STACK_NAME_TAG, "")
            if name.startswith(names.network_prefixes(reader.name)):
                known.add(name)
    stacks = (read_stack(reader.aws, name) for name in sorted(known))
    return [one for one in stacks if one is not None and ours(one, reader.name) and not users(found, one, but=group)]


def users(found: HyperPodReading | None, stack: StackReading, but: str = "") -> list[str]:
    """Groups whose nodes are in its subnet."""
    subnet = subnet_of(stack)
    groups = found.groups if found is not None else ()
    return [
        one.name
        for one in groups
        if one.name != but and subnet and subnet in ((one.raw.get("OverrideVpcConfig") or {}).get("Subnets") or ())
    ]


def not_ours(stack: str) -> Fault:
    return Fault(
        "stack_not_ours",
        f"A stack {stack} is there that InstantStart did not make for this cluster.",
        "Choose another name for the group, or give the subnet.",
    )
