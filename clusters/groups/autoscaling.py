"""Groups that HyperPod's Karpenter grows and shrinks: people don't, meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.reading.reader import ClusterReader
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


def scaling_checks(reader: ClusterReader, group: str, field: str) -> Iterator[Check]:
    """An error where people don't set the group's size. field: of the input that would."""
    if classes := node_classes(reader, group):
        yield Check.of(scaling_fault(group, classes), TITLE, field)


def deletion_checks(reader: ClusterReader, group: str) -> Iterator[Check]:
    if classes := node_classes(reader, group):
        yield Check.of(deletion_fault(group, classes), TITLE)


def scaling_fault(group: str, classes: list[str]) -> Fault:
    return Fault(
        "group_autoscaled",
        f"Node autoscaling sets the size of {group}: HyperpodNodeClass {', '.join(classes)} names it, and would undo a change by hand.",
        f"Take {group} out of {', '.join(classes)} first, or let pods that wait for nodes make it grow.",
    )


def deletion_fault(group: str, classes: list[str]) -> Fault:
    return Fault(
        "group_autoscaled",
        f"HyperpodNodeClass {', '.join(classes)} names {group}; without the group it would no longer be Ready and provision nothing.",
        f"Take {group} out of {', '.join(classes)} first.",
    )
