"""What speaks against these groups growing and shrinking by themselves, beyond the table of rules; and the facts for that table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from clusters import names
from clusters.features.entry import Chosen, FeatureSeen
from clusters.features.node_autoscaling.objects import CORE_API, POOL, defined, ours, taken_fault
from clusters.groups.autoscaling import API_VERSION, KIND, TITLE, elsewhere_fault, node_classes, other_classes
from clusters.reading.hyperpod import GroupReading, HyperPodReading
from clusters.reading.kubernetes import GROUP_LABEL
from clusters.reading.pods import titles, work_on
from clusters.reading.reader import ClusterReader
from clusters.rules import GroupFacts
from clusters.sentences import listing
from clusters.spec import DeepHealthCheck
from operations.choices import Severity
from operations.plan import Check

FIELD = "features.node_autoscaling.settings.groups"


def checks(reader: ClusterReader, settings: Chosen, seen: FeatureSeen) -> Iterator[Check]:
    hyperpod, wanted = reader.hyperpod, list(settings["groups"])
    if not wanted:
        yield _error("groups_missing", "No instance groups are named.", "Name those that are to grow and shrink by themselves.")
    if hyperpod is None:
        return
    there = {group.name for group in hyperpod.groups}
    if absent := sorted(set(wanted) - there):
        yield _error(
            "group_not_found", f"There is no group {', '.join(absent)} in {reader.name}.", f"There are {', '.join(sorted(there))}."
        )
    for group in wanted:
        if classes := other_classes(reader, group):
            yield Check.of(elsewhere_fault(group, classes), TITLE, FIELD)
    if defined(reader):
        for api_version, kind in ((API_VERSION, KIND), (CORE_API, POOL)):
            found = reader.object(api_version, kind, names.NODE_POOL)
            if found is not None and not ours(found):
                yield Check.of(taken_fault(kind), TITLE)
    yield from _work(reader, sorted(set(wanted) - set(seen.settings["groups"])), "Autoscaling begins a group at 0 and deletes its nodes")
    yield from _work(reader, sorted(set(seen.settings["groups"]) - set(wanted)), "Karpenter deletes its nodes of a group that it leaves")
    if wanted and there <= set(wanted):
        yield Check(
            code="no_standing_group",
            severity=Severity.WARNING,
            title=TITLE,
            detail="Every group is named: the cluster's own pods (DNS, operators) then keep nodes of them busy, or wait for some.",
            fix="Keep a small group of standing nodes out of it.",
            field=FIELD,
        )


def _work(reader: ClusterReader, groups: list[str], effect: str) -> Iterator[Check]:
    for group in groups:
        nodes = [node.name for node in reader.nodes if node.labels.get(GROUP_LABEL) == group]
        if running := titles(work_on(reader.pods, nodes)):
            yield _error("work_runs", f"{effect}, and on {group} this runs: {listing(running)}.", "Let it end, or drain the nodes first.")


def _error(code: str, detail: str, fix: str) -> Check:
    return Check(code=code, severity=Severity.ERROR, title=TITLE, detail=detail, fix=fix, field=FIELD)


def group_facts(reader: ClusterReader, wanted: list[str]) -> tuple[GroupFacts, ...]:
    """Of the groups that come under autoscaling by this."""
    hyperpod = reader.hyperpod
    if hyperpod is None:
        return ()
    new = [group for group in hyperpod.groups if group.name in wanted and names.NODE_POOL not in node_classes(reader, group.name)]
    subnets = sorted({subnet for group in new for subnet in _subnets(hyperpod, group)})
    filters = [{"Name": "subnet-id", "Values": subnets}]
    found = reader.aws.pages("ec2", "describe_subnets", "Subnets", Filters=filters) if subnets else ()
    zones = {item["SubnetId"]: item["AvailabilityZone"] for item in found}
    return tuple(_facts_of(hyperpod, group, zones) for group in new)


def _facts_of(hyperpod: HyperPodReading, group: GroupReading, zones: dict[str, str]) -> GroupFacts:
    return GroupFacts(
        name=group.name,
        instance_types=tuple(one.strip() for one in group.instance_type.split(",") if one.strip()),
        count=group.target_count,
        capacity=group.capacity,
        training_plan_arn=group.raw.get("TrainingPlanArn", ""),
        deep_health_checks=tuple(DeepHealthCheck(one) for one in group.raw.get("OnStartDeepHealthChecks") or ()),
        zones=frozenset(zones[subnet] for subnet in _subnets(hyperpod, group) if subnet in zones),
        autoscaled=True,
        new=False,
        path=FIELD,
        fields={one.name: FIELD for one in fields(GroupFacts)} | {"subnet": FIELD, "instance_type": FIELD},
    )


def _subnets(hyperpod: HyperPodReading, group: GroupReading) -> list[str]:
    network = group.raw.get("OverrideVpcConfig") or hyperpod.raw.get("VpcConfig") or {}
    return list(network.get("Subnets") or ())
