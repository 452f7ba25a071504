"""Where the nodes of new groups go: a subnet that is there, or one that is made first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network

from clusters import names
from clusters.groups import network
from clusters.groups.network import GroupNetwork, Surroundings
from clusters.groups.spec import DEDICATED, SHARED, NewGroup
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import DELETABLE_ONLY, read_stack
from clusters.resolved import Group
from operations.choices import Severity
from operations.plan import Change, Check, FieldChange

TITLE = "Subnet"
ADDRESSES_UNKNOWN = 50
"""Taken for a node of a type that the catalogue does not know."""
STACK_RESOURCE = "AWS::CloudFormation::Stack"


@dataclass(frozen=True)
class Asked:
    """One group to be placed. path: where the caller's input has it."""

    path: str
    asked: NewGroup
    group: Group

    @property
    def needed(self) -> int:
        """Addresses of all its nodes."""
        return self.group.count * (self.group.addresses_per_node or ADDRESSES_UNKNOWN)


@dataclass
class Places:
    """subnets: of each group, in order; an id, a network's placeholder, or "" for the cluster's own. networks: to be made first."""

    subnets: list[str] = field(default_factory=list)
    networks: list[GroupNetwork] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    resumes: str | None = None


class Placing:
    """base: the cluster's own compute subnet, "" when AWS names none. reserved: ranges that others are about to take."""

    def __init__(self, reader: ClusterReader, base: str, groups: Sequence[Asked], reserved: Sequence[IPv4Network]) -> None:
        self.reader, self.base, self.groups = reader, base, groups
        self.taken = list(reserved)
        self.found = Places()
        self._known: dict[str, str] = {}

    def places(self) -> Places:
        """CloudError."""
        for one in self.groups:
            self.found.subnets.append(self._place(one))
        return self.found

    def _place(self, one: Asked) -> str:
        asked = one.asked
        if asked.subnet in ("", SHARED) and not asked.availability_zone:
            return ""
        if asked.subnet not in ("", SHARED, DEDICATED) and not asked.availability_zone:
            return asked.subnet
        around = self._around(one)
        if around is None:
            return ""
        zone = asked.availability_zone or around.zone
        if zone not in around.zones:
            self._refuse("zone_unknown", f"There is no zone {zone} here.", f"Choose one of {', '.join(around.zones)}.", one, "zone")
            return ""
        if asked.subnet in ("", SHARED):
            if zone == around.zone:
                return ""
            return self._made(one, around, zone, names.zone_network(self.reader.name, zone), f"zone-{zone}")
        if asked.subnet == DEDICATED:
            return self._made(one, around, zone, names.group_network(self.reader.name, asked.name), f"group-{asked.name}")
        where = around.subnets.get(asked.subnet, {}).get("AvailabilityZone", zone)
        if where != zone:
            self._refuse(
                "subnet_in_other_zone",
                f"{asked.subnet} is in {where}, and {asked.name} is to be in {zone}.",
                "Give a subnet of that zone, or leave the zone away.",
                one,
                "zone",
            )
        return asked.subnet

    def _around(self, one: Asked) -> Surroundings | None:
        if self._surroundings is None:
            self._refuse(
                "no_base_subnet",
                f"The subnet of {self.reader.name} could not be found, so no other can be put beside it.",
                "Give a subnet, subnet-….",
                one,
            )
        return self._surroundings

    @cached_property
    def _surroundings(self) -> Surroundings | None:
        return network.surroundings(self.reader.aws, self.base) if self.base else None

    def _made(self, one: Asked, around: Surroundings, zone: str, stack: str, part: str) -> str:
        if stack not in self._known:
            self._known[stack] = self._network(one, around, zone, stack, part)
        return self._known[stack]

    def _network(self, one: Asked, around: Surroundings, zone: str, stack: str, part: str) -> str:
        """The subnet's id or placeholder, "" where it is refused."""
        there = read_stack(self.reader.aws, stack)
        made: GroupNetwork | None = None
        if there is not None:
            if not network.ours(there, self.reader.name):
                self.found.checks.append(Check.of(network.not_ours(stack), TITLE, f"{one.path}.name"))
                return ""
            if there.deleting:
                self._refuse("network_deleting", f"The stack {stack} of an earlier {part} is being deleted.", "Wait until it is gone.", one)
                return ""
            if there.complete:
                subnet = network.subnet_of(there)
                where = around.subnets.get(subnet, {}).get("AvailabilityZone", zone)
                if self._elsewhere(one, stack, where, zone):
                    return ""
                self._say("subnet_there", Severity.INFO, f"{subnet} of the stack {stack} is there already and is used.", one)
                return subnet
            if there.status not in DELETABLE_ONLY:
                made = network.begun(self.reader.aws, there.stack_id, part)
                self.found.resumes = stack
            if made is not None and self._elsewhere(one, stack, made.zone, zone):
                return ""
        made = made or self._fresh(one, around, zone, stack, part)
        if made is None:
            return ""
        self.taken.append(IPv4Network(made.cidr))
        self.found.networks.append(made)
        self._tell(one, around, made)
        return made.placeholder

    def _fresh(self, one: Asked, around: Surroundings, zone: str, stack: str, part: str) -> GroupNetwork | None:
        if around.way_out is None:
            self._refuse(
                "no_way_out",
                f"The cluster's subnet {self.base} has no default route through a NAT or transit gateway that a new one could take.",
                "Give a subnet that has its own way out.",
                one,
            )
            return None
        # The nodes of all groups of this request that share it.
        sharing = [one] if one.asked.subnet == DEDICATED else [other for other in self.groups if self._shares(other, zone)]
        needed = sum(other.needed for other in sharing)
        block = network.free_range(around, needed, self.taken)
        if block is None:
            ranges = ", ".join(str(whole) for whole in around.ranges)
            self._refuse(
                "no_free_range",
                f"{around.vpc} ({ranges}) has no range left for a further subnet: a /20, or more for {needed} addresses.",
                "Add a range to the VPC (aws ec2 associate-vpc-cidr-block), use the shared subnet, or ask for fewer nodes.",
                one,
            )
            return None
        through, target = around.way_out
        return GroupNetwork(stack, part, around.vpc, zone, str(block), through, target)

    @staticmethod
    def _shares(other: Asked, zone: str) -> bool:
        return other.asked.subnet in ("", SHARED) and other.asked.availability_zone == zone

    def _tell(self, one: Asked, around: Surroundings, made: GroupNetwork) -> None:
        self._say(
            "subnet_range",
            Severity.PASS,
            f"{made.cidr} meets none of the {len(around.subnets)} subnets of {around.vpc}; {made.addresses} addresses can be given out.",
            one,
        )
        if made.zone != around.zone:
            self._say(
                "other_zone",
                Severity.WARNING,
                f"Nodes in {made.zone} reach the internet and the nodes in {around.zone} across zones: AWS bills that by the gigabyte, and"
                " EFA does not cross zones. S3 is reached through an endpoint, without that.",
                one,
                "Keep the nodes of one distributed job in one zone.",
            )

    def _elsewhere(self, one: Asked, stack: str, where: str, zone: str) -> bool:
        if where == zone:
            return False
        self._refuse(
            "network_elsewhere",
            f"The stack {stack} of an earlier attempt has its subnet in {where}, and {one.asked.name} is to be in {zone}.",
            f"Delete the group {one.asked.name}, which takes that stack away, or leave the zone away.",
            one,
            "zone",
        )
        return True

    def _say(self, code: str, severity: Severity, detail: str, one: Asked, fix: str = "", field: str = "subnet") -> None:
        self.found.checks.append(Check(code=code, severity=severity, title=TITLE, detail=detail, fix=fix, field=f"{one.path}.{field}"))

    def _refuse(self, code: str, detail: str, fix: str, one: Asked, field: str = "subnet") -> None:
        self._say(code, Severity.ERROR, detail, one, fix, "availability_zone" if field == "zone" else field)


def changes(networks: Sequence[GroupNetwork]) -> Iterator[Change]:
    """What each stack makes, resource by resource."""
    for one in networks:
        yield Change(
            resource_type=STACK_RESOURCE,
            name=one.stack,
            action="create",
            fields=(FieldChange(field="AvailabilityZone", after=one.zone), FieldChange(field="CidrBlock", after=one.cidr)),
        )
        for resource in one.template().resources:
            yield Change(resource_type=resource.type, name=resource.name, action="create")
