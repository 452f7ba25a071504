"""What is looked at before a group is added or grows: the checks of a creation and the table of rules, on the cluster as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clusters import rules
from clusters.catalog import reading
from clusters.checks.facts import Facts, Usage, count_instances
from clusters.checks.registry import Existing, Subject, all_checks, carry_out
from clusters.checks.resolve import UNKNOWN_NETWORK
from clusters.groups.network import GroupNetwork
from clusters.groups.spec import NewGroup
from clusters.reading.hyperpod import HyperPodReading
from clusters.reading.reader import ClusterReader
from clusters.resolved import Group, ResolvedSpec, Zone
from clusters.resolved import Subnet as ResolvedSubnet
from clusters.spec import Capacity, ClusterInput, DeepHealthCheck, GroupInput
from instantstart.cloud.aws import Aws
from operations.choices import Severity
from operations.plan import Check

OF_ONE_SUBNET = ("instance_type", "capacity", "training_plan", "addresses")
OF_TYPE = ("instance_type",)
OF_ALL = ("instance_quotas",)
_PATH = re.compile(r"^(group|groups\.(\d+))(?=\.|$)")


@dataclass(frozen=True)
class Wanted:
    """A group, or the part by which one grows (count). subnet: where its nodes go. path: where the caller's input has it.

    deep_health_checks, minimum, labels, taints: for the table of rules; new: whether it does not exist yet.
    """

    group: Group
    subnet: str
    path: str
    deep_health_checks: Sequence[DeepHealthCheck] = ()
    asked: NewGroup | None = None
    new: bool = True
    total: int | None = None
    """How many nodes it has afterwards; None: its count."""


class GroupFacts(Facts):
    """Of the reads of a creation, only those that groups need. Use as a context manager."""

    def __init__(
        self, aws: Aws, spec: ClusterInput, cluster: HyperPodReading, subnets: Sequence[str], networks: Sequence[GroupNetwork] = ()
    ) -> None:
        super().__init__(aws, spec)
        self._cluster, self._made = cluster, {one.placeholder: one.as_subnet() for one in networks}
        self._subnets = sorted(set(subnets) - set(self._made))

    def start(self) -> None:
        self._begin("offerings", lambda: reading.offerings(self.aws, self.spec.group.instance_type).value)
        for kind in {group.instance_type for group in self.spec.groups} - {self.spec.group.instance_type}:
            self._begin(f"offerings:{kind}", lambda kind=kind: reading.offerings(self.aws, kind).value)  # type: ignore[misc]
        self._begin("quotas:sagemaker", lambda: reading.quotas(self.aws, "sagemaker").value)
        self._begin("usage", self._read_usage)
        self._begin("network", self._read_subnets)
        if any(group.capacity is Capacity.TRAINING_PLAN for group in self.spec.all_groups):
            self._begin("training_plans", lambda: reading.training_plans(self.aws).value)

    def _read_subnets(self) -> dict[str, Any]:
        # By filter, so that one that is not there is no error.
        wanted = [{"Name": "subnet-id", "Values": self._subnets}]
        found = self.aws.pages("ec2", "describe_subnets", "Subnets", Filters=wanted) if self._subnets else ()
        return {"subnets": {**{item["SubnetId"]: item for item in found}, **self._made}}

    def _read_usage(self) -> Usage:
        others = super()._read_usage()
        on_demand, spot = dict(others.on_demand), dict(others.spot)
        own = count_instances(self._cluster.raw.get("InstanceGroups", []), on_demand, spot)
        return Usage(on_demand, spot, others.clusters_left_out, own)


def checks(
    reader: ClusterReader,
    spec: ResolvedSpec,
    cluster: HyperPodReading,
    wanted: Sequence[Wanted],
    networks: Sequence[GroupNetwork] = (),
) -> list[Check]:
    """Every row, those that passed included. networks: subnets that are made first, which a wanted group names by its placeholder."""
    subnets = [one.subnet for one in wanted if one.subnet]
    further = [(one, index, kind) for one in wanted if one.asked for index, kind in enumerate(one.asked.further_types)]
    others = [one.group.model_copy(update={"instance_type": kind}) for one, _, kind in further]
    asked = _as_input(spec.name, [*(one.group for one in wanted), *others])
    with GroupFacts(reader.aws, asked, cluster, subnets, networks) as facts:
        known: Mapping[str, Any] = facts.wait("network")["subnets"]
        found: list[Check] = []
        for subnet in dict.fromkeys(one.subnet for one in wanted):
            part = [one for one in wanted if one.subnet == subnet]
            found += _carried_out(OF_ONE_SUBNET, spec, facts, part, _subnet(subnet, known.get(subnet)))
        for (one, index, _), group in zip(further, others, strict=True):
            path = f"{one.path}.further_types.{index}"
            rows = _carried_out(OF_TYPE, spec, facts, [replace(one, group=group)], _subnet(one.subnet, known.get(one.subnet)))
            found += [row.model_copy(update={"field": path}) for row in rows]
        found += _carried_out(OF_ALL, spec, facts, wanted, _subnet("", None))
        found += _missing_subnets(wanted, known)
        return [*found, *_rules(cluster, wanted, known)]


def _as_input(name: str, groups: Sequence[Group]) -> ClusterInput:
    first, *rest = [
        GroupInput(
            name=group.name,
            instance_type=group.instance_type,
            count=group.count,
            capacity=group.capacity,
            training_plan_arn=group.training_plan_arn,
            volume_gb=group.volume_gb,
        )
        for group in groups
    ]
    return ClusterInput.model_construct(**{**ClusterInput(name="any").model_dump(), "name": name, "group": first, "groups": rest})


def _subnet(subnet_id: str, said: Mapping[str, Any] | None) -> ResolvedSubnet:
    said = said or {}
    zone = Zone(name=str(said.get("AvailabilityZone", "")), id=str(said.get("AvailabilityZoneId", "")))
    return ResolvedSubnet(zone=zone, cidr=str(said.get("CidrBlock", UNKNOWN_NETWORK)), id=subnet_id)


def _carried_out(codes: Sequence[str], spec: ResolvedSpec, facts: Facts, part: Sequence[Wanted], subnet: ResolvedSubnet) -> Iterator[Check]:
    groups = [one.group for one in part]
    # The subnet exists, so the number of its free addresses is AWS's own.
    network = spec.network.model_copy(update={"vpc_id": spec.network.vpc_id or "vpc", "compute": subnet})
    looked_at = spec.model_copy(update={"group": groups[0], "groups": groups[1:], "network": network})
    subject = Subject(_as_input(spec.name, groups), looked_at, facts, Existing())
    paths = [one.path for one in part]
    for registered in all_checks():
        if registered.code in codes:
            for row in carry_out(registered, subject):
                yield row.model_copy(update={"field": _field(row.field, paths)})


def _field(field: str, paths: Sequence[str]) -> str:
    """Where the caller's input has what a creation's input would have there."""
    if field == "availability_zones":
        return _joined(paths[0], "subnet")
    match = _PATH.match(field)
    if match is None:
        return field
    path = paths[0] if match[2] is None else paths[int(match[2]) + 1]
    return _joined(path, field[match.end() :].lstrip("."))


def _joined(*parts: str) -> str:
    return ".".join(part for part in parts if part)


def _missing_subnets(wanted: Sequence[Wanted], known: Mapping[str, Any]) -> Iterator[Check]:
    for one in wanted:
        if one.subnet and one.subnet not in known:
            yield Check(
                code="subnet_not_found",
                severity=Severity.ERROR,
                title="Subnet",
                detail=f"There is no subnet {one.subnet} here.",
                fix="Give a subnet of the cluster's VPC, or leave it away for the cluster's own.",
                field=_joined(one.path, "subnet"),
            )


def _rules(cluster: HyperPodReading, wanted: Sequence[Wanted], known: Mapping[str, Any]) -> Iterator[Check]:
    raw = cluster.raw
    tiered = raw.get("TieredStorageConfig") or {}
    facts = rules.Facts(
        orchestrator="eks" if "Eks" in (raw.get("Orchestrator") or {}) else None,
        continuous=cluster.continuous,
        tiered_checkpointing=tiered.get("Mode") == "Enable",
        groups=tuple(_facts_of(one, known) for one in wanted),
        group_count=len(cluster.groups) + sum(one.new for one in wanted),
    )
    yield from rules.evaluate(facts)


def _facts_of(one: Wanted, known: Mapping[str, Any]) -> rules.GroupFacts:
    zone = (known.get(one.subnet) or {}).get("AvailabilityZone")
    made = rules.group_facts(one.group, path=one.path, checks=one.deep_health_checks, zones=[zone] if zone else ())
    count = one.group.count if one.total is None else one.total
    if one.asked is None:
        return replace(made, count=count, new=one.new)
    volumes = one.asked.volumes
    roots = [volume for volume in volumes or () if volume.root]
    storage = {} if volumes is None else dict.fromkeys(("volume_gb", "volumes"), f"{one.path}.volumes")
    return replace(
        made,
        instance_types=one.asked.instance_types,
        volumes=None if volumes is None else len(volumes),
        data_volumes=None if volumes is None else len(one.asked.data_volumes),
        root_volumes=len(roots),
        root_volume=bool(roots),
        root_volume_size=any(volume.size_gb is not None for volume in roots),
        root_volume_key=all(volume.kms_key for volume in roots),
        fields={**made.fields, **storage},
        minimum=one.asked.minimum,
        labels=len(one.asked.labels),
        taints=len(one.asked.taints),
        lifecycle=one.asked.lifecycle,
        image_id=one.asked.image_id,
    )
