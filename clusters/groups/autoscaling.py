"""Groups that HyperPod's Karpenter grows and shrinks: people don't, meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusters import names, rules
from clusters.reading.hyperpod import GroupReading
from clusters.reading.reader import ClusterReader
from clusters.spec import DeepHealthCheck
from operations.plan import Check
from operations.step import Fault

API_VERSION, KIND = "karpenter.sagemaker.amazonaws.com/v1", "HyperpodNodeClass"
TITLE = "Node autoscaling"


def node_classes(reader: ClusterReader, group: str) -> list[str]:
    """Names of the HyperpodNodeClasses that name the group."""
    return [
        item["metadata"]["name"]
        for item in reader.objects(API_VERSION, KIND)
        if group in ((item.get("spec") or {}).get("instanceGroups") or ())
    ]


def other_classes(reader: ClusterReader, group: str) -> list[str]:
    """Those that are not the one of the managed feature."""
    return [name for name in node_classes(reader, group) if name != names.NODE_POOL]


def scaling_checks(reader: ClusterReader, group: str, field: str) -> Iterator[Check]:
    """An error where people don't set the group's size. field: of the input that would."""
    if classes := node_classes(reader, group):
        yield Check.of(scaling_fault(group, classes), TITLE, field)


def deletion_checks(reader: ClusterReader, group: str) -> Iterator[Check]:
    if classes := node_classes(reader, group):
        yield Check.of(deletion_fault(group, classes), TITLE)


def change_checks(reader: ClusterReader, group: GroupReading, deep_health_checks: Iterable[DeepHealthCheck]) -> Iterator[Check]:
    """The table of rules, on a group that is under autoscaling and is to have these deep health checks."""
    if node_classes(reader, group.name):
        facts = rules.GroupFacts(
            name=group.name,
            instance_types=tuple(one.strip() for one in group.instance_type.split(",") if one.strip()),
            count=0,
            capacity=group.capacity,
            deep_health_checks=tuple(deep_health_checks),
            autoscaled=True,
            new=False,
            path="",
        )
        yield from rules.evaluate(rules.Facts(groups=(facts,)))


def scaling_fault(group: str, classes: list[str]) -> Fault:
    return Fault(
        "group_autoscaled",
        f"Node autoscaling sets the size of {group}: HyperpodNodeClass {', '.join(classes)} names it, and would undo a change by hand.",
        f"{_take_out(group, classes)}, or let pods that wait for nodes make it grow.",
    )


def deletion_fault(group: str, classes: list[str]) -> Fault:
    return Fault(
        "group_autoscaled",
        f"HyperpodNodeClass {', '.join(classes)} names {group}; without the group it would no longer be Ready and provision nothing.",
        f"{_take_out(group, classes)}.",
    )


def elsewhere_fault(group: str, classes: list[str]) -> Fault:
    return Fault(
        "group_in_other_class",
        f"HyperpodNodeClass {', '.join(classes)} names {group} already: two classes would undo each other's nodes.",
        f"Take {group} out of {', '.join(classes)}, or leave it out here.",
    )


def _take_out(group: str, classes: list[str]) -> str:
    """The way out; of our own class by the feature that keeps it."""
    places = [f"the groups of {TITLE.lower()}" if name == names.NODE_POOL else name for name in classes]
    return f"Take {group} out of {' and '.join(places)} first"
