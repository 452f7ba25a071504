"""What is looked at before a node group is made or grows: types, zones, vCPU quotas, addresses, the Capacity Block, the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusters import rules
from clusters.catalog import reading
from clusters.node_groups.request import Place, largest
from clusters.node_groups.spec import NewNodeGroup, NodeCapacity
from instantstart.cloud.aws import Aws
from operations.choices import Severity
from operations.plan import Check

PER_CLUSTER, PER_GROUP = "Managed node groups per cluster", "Nodes per managed node group"
_STANDARD = "Standard (A, C, D, H, I, M, R, T, Z)"
_QUOTAS = {
    # first letters of a family: vCPU quotas on demand and of Spot
    "p": ("Running On-Demand P instances", "All P4, P3 and P2 Spot Instance Requests"),
    "g": ("Running On-Demand G and VT instances", "All G and VT Spot Instance Requests"),
    "trn": ("Running On-Demand Trn instances", "All Trn Spot Instance Requests"),
    "": (f"Running On-Demand {_STANDARD} instances", f"All {_STANDARD} Spot Instance Requests"),
}


@dataclass(frozen=True)
class Looked:
    """types: what EC2 tells of the asked types that it knows. subnets: as EC2 describes those that are there."""

    types: tuple[Mapping[str, Any], ...]
    subnets: tuple[Mapping[str, Any], ...]

    @property
    def efa(self) -> int:
        """EFA interfaces that every asked type has."""
        found = [((one.get("NetworkInfo") or {}).get("EfaInfo") or {}).get("MaximumEfaInterfaces", 0) for one in self.types]
        return min(found, default=0)

    @property
    def zones(self) -> tuple[str, ...]:
        return tuple(sorted({one["AvailabilityZone"] for one in self.subnets}))


def look(aws: Aws, asked: NewNodeGroup, subnets: Sequence[str]) -> Looked:
    """CloudError."""
    by_type = [{"Name": "instance-type", "Values": list(asked.instance_types)}]
    types = tuple(aws.pages("ec2", "describe_instance_types", "InstanceTypes", Filters=by_type))
    by_id = [{"Name": "subnet-id", "Values": list(subnets)}]
    found = {one["SubnetId"]: one for one in aws.pages("ec2", "describe_subnets", "Subnets", Filters=by_id)} if subnets else {}
    return Looked(types, tuple(found[one] for one in subnets if one in found))


def checks(aws: Aws, asked: NewNodeGroup, place: Place, looked: Looked, groups: int) -> list[Check]:
    """Every row, those that passed included. groups: how many node groups the cluster has."""
    rows = [*_types(aws, asked, looked), *_subnets(asked, place, looked)]
    if not rows:
        rows += [_passed("instance_type", "Instance type", f"{' or '.join(asked.instance_types)} is offered in {', '.join(looked.zones)}.")]
    if asked.capacity is NodeCapacity.CAPACITY_BLOCK and asked.capacity_reservation:
        rows += _reservation(aws, asked, looked)
    else:
        rows += growth(aws, asked.instance_types, asked.capacity, asked.maximum, looked, "maximum")
    rows += _addresses(asked.desired, looked, "desired")
    quotas = reading.quotas(aws, "eks").value
    if PER_CLUSTER in quotas and groups + 1 > quotas[PER_CLUSTER].value:
        rows.append(
            _failed(
                "node_group_quota",
                "Quotas",
                f"The quota '{PER_CLUSTER}' is {quotas[PER_CLUSTER].value:g}, and all are in use.",
                "Delete a node group, or ask for more in Service Quotas.",
                "node_group",
            )
        )
    return [*rows, *rules.evaluate(facts(asked, looked))]


def facts(asked: NewNodeGroup, looked: Looked) -> rules.Facts:
    one = rules.NodeGroupFacts(
        instance_types=tuple(asked.instance_types),
        minimum=asked.minimum,
        maximum=asked.maximum,
        desired=asked.desired,
        capacity=str(asked.capacity),
        capacity_reservation=asked.capacity_reservation,
        efa=asked.efa,
        efa_interfaces=looked.efa if looked.types else None,
        zones=frozenset(looked.zones),
    )
    return rules.Facts(node_groups=(one,))


def growth(aws: Aws, types: Sequence[str], capacity: str, more: int, looked: Looked, field: str) -> Iterator[Check]:
    """The vCPU quota of the market, with what runs in the region now and `more` machines of the largest type."""
    machine = largest(looked.types)
    if machine is None or capacity == NodeCapacity.CAPACITY_BLOCK or more <= 0:
        return
    spot = capacity == NodeCapacity.SPOT
    name = _quota(machine["InstanceType"], spot)
    known = reading.quotas(aws, "ec2").value
    if name not in known:
        yield Check(
            code="quota_unlisted",
            severity=Severity.WARNING,
            title="Quotas",
            detail=f"Service Quotas does not list '{name}'.",
            fix="Look it up in the console before you go on.",
            field=field,
        )
        return
    used, wanted = _vcpus_in_use(aws, name), more * int(machine["VCpuInfo"]["DefaultVCpus"])
    if used + wanted > known[name].value:
        yield _failed(
            "quota_too_low",
            "Quotas",
            f"The quota '{name}' is {known[name].value:g} vCPUs, {used} in use, and {wanted} are asked for: {more} × "
            f"{machine['InstanceType']}.",
            f"Ask for {used + wanted} in Service Quotas (ec2, {known[name].code}), or ask for less here.",
            field,
        )
    else:
        yield _passed("vcpu_quota", "Quotas", f"{used} of {known[name].value:g} vCPUs of '{name}' are in use; {wanted} more fit.")


def _quota(instance_type: str, spot: bool) -> str:
    bucket = next((letters for letters in _QUOTAS if letters and instance_type.startswith(letters)), "")
    return _QUOTAS[bucket][int(spot)]


def _vcpus_in_use(aws: Aws, quota: str) -> int:
    """Machines in a Capacity Block count against no quota."""
    states = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    total = 0
    for reservation in aws.pages("ec2", "describe_instances", "Reservations", Filters=states):
        for one in reservation["Instances"]:
            market = one.get("InstanceLifecycle", "")
            if market != "capacity-block" and _quota(one["InstanceType"], market == "spot") == quota:
                total += int(one["CpuOptions"]["CoreCount"]) * int(one["CpuOptions"]["ThreadsPerCore"])
    return total


def _types(aws: Aws, asked: NewNodeGroup, looked: Looked) -> Iterator[Check]:
    known = {one["InstanceType"] for one in looked.types}
    for name in asked.instance_types:
        if name not in known:
            yield _failed(
                "instance_type_unknown",
                "Instance type",
                f"EC2 has no instance type {name} in {aws.region}.",
                "Choose another type; names are as m5.xlarge, without ml.",
                "instance_types",
            )
            continue
        missing = sorted(set(looked.zones) - reading.offerings(aws, name).value)
        if missing:
            yield _failed(
                "instance_type_not_offered",
                "Instance type",
                f"EC2 does not offer {name} in {', '.join(missing)}.",
                "Choose another type, or subnets in another Availability Zone.",
                "instance_types",
            )


def _subnets(asked: NewNodeGroup, place: Place, looked: Looked) -> Iterator[Check]:
    there = {one["SubnetId"] for one in looked.subnets}
    for missing in (one for one in place.subnets if one not in there):
        yield _failed(
            "subnet_not_found",
            "Subnets",
            f"There is no subnet {missing} here.",
            "Give subnets of the cluster's VPC, or leave them away for the cluster's own.",
            "subnets",
        )
    if not place.subnets:
        yield _failed("no_subnet", "Subnets", "The cluster tells no subnet for nodes.", "Give the subnets.", "subnets")


def _addresses(nodes: int, looked: Looked, field: str) -> Iterator[Check]:
    """The VPC CNI keeps the addresses of a whole interface on each node."""
    machine = largest(looked.types)
    if machine is None or not looked.subnets or nodes <= 0:
        return
    each = int((machine.get("NetworkInfo") or {}).get("Ipv4AddressesPerInterface", 1))
    free = sum(int(one["AvailableIpAddressCount"]) for one in looked.subnets)
    if free >= nodes * each:
        yield _passed("addresses", "Addresses", f"{free} addresses are free; {nodes} nodes take about {nodes * each}.")
        return
    yield Check(
        code="too_few_addresses",
        severity=Severity.ERROR if free < nodes else Severity.WARNING,
        title="Addresses",
        detail=f"{free} addresses are free in the subnets; {nodes} nodes take about {nodes * each}.",
        fix="Ask for fewer nodes, or give a larger subnet.",
        field=field,
    )


def _reservation(aws: Aws, asked: NewNodeGroup, looked: Looked) -> Iterator[Check]:
    wanted = [asked.capacity_reservation]
    everything = aws.pages("ec2", "describe_capacity_reservations", "CapacityReservations")
    found = next((one for one in everything if one["CapacityReservationId"] in wanted), None)
    title, field = "Capacity Block", "capacity_reservation"
    if found is None:
        yield _failed(
            "capacity_reservation_not_found",
            title,
            f"There is no reservation {asked.capacity_reservation} here.",
            "Give the id of a Capacity Block of this account and region.",
            field,
        )
        return
    problems = []
    if found["InstanceType"] not in asked.instance_types:
        problems.append(f"is for {found['InstanceType']}")
    if found.get("State") != "active":
        problems.append(f"is {found.get('State')}")
    if looked.zones and looked.zones != (found["AvailabilityZone"],):
        problems.append(f"is in {found['AvailabilityZone']}, the subnets are in {', '.join(looked.zones)}")
    if asked.maximum > int(found["TotalInstanceCount"]):
        problems.append(f"has {found['TotalInstanceCount']} instances, up to {asked.maximum} are asked for")
    if problems:
        yield _failed(
            "capacity_reservation_does_not_fit",
            title,
            f"The reservation {asked.capacity_reservation} {' and '.join(problems)}.",
            "Ask for what it holds, in its Availability Zone, while it is active.",
            field,
        )
    else:
        yield _passed("capacity_reservation", title, f"The reservation {asked.capacity_reservation} covers the group.")


def _failed(code: str, title: str, detail: str, fix: str, field: str) -> Check:
    return Check(code=code, severity=Severity.ERROR, title=title, detail=detail, fix=fix, field=field)


def _passed(code: str, title: str, detail: str) -> Check:
    return Check(code=code, severity=Severity.PASS, title=title, detail=detail)
