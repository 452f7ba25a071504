"""What to do next about a node: analyse, then reboot, then replace, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, IntegerField, Q, Value, When

from clusters.groups.choice import WELL
from clusters.groups.evidence import PENDING_REBOOT, PENDING_REPLACEMENT, REBOOT, REPLACE
from clusters.models import ClusterEvent, Node


@dataclass(frozen=True)
class NextStep:
    """action: "analyse", "reboot" or "replace"."""

    action: str
    reason: str


def last(events: Iterable[ClusterEvent], replacement: bool) -> datetime | None:
    """When the newest of these events tells of a reboot, or of a replacement."""
    what = REPLACE if replacement else REBOOT
    return max((event.at for event in events if what.search(event.description)), default=None)


def next_steps(node: Node, events: list[ClusterEvent]) -> list[NextStep]:
    """In order; [] for a node that is well. events: the node's own, newest first."""
    why = trouble(node)
    if not why:
        return []
    errors = [event for event in events if event.level == "Error"]
    seen = f" HyperPod's last error: {errors[0].description}" if errors else ""
    steps = [NextStep("analyse", f"{why}{seen}")]
    if node.health == PENDING_REPLACEMENT:
        steps.append(NextStep("replace", "HyperPod's health monitoring marked the node for replacement."))
        return steps
    restarted = last(events, replacement=False)
    if restarted is not None and (not errors or errors[0].at > restarted):
        steps.append(NextStep("replace", f"It was rebooted at {restarted:%Y-%m-%d %H:%M} UTC and is still not well."))
        return steps
    steps += [
        NextStep("reboot", "A reboot clears faults of drivers and of software, and keeps the volumes."),
        NextStep("replace", "If a reboot does not help: another machine, with new volumes."),
    ]
    return steps


def troubled() -> Q:
    """The nodes of which `trouble` says something."""
    unhealthy = ~Q(health__in=WELL)
    return Q(status="Failure") | unhealthy | Q(status="Running", ready=False)


def unwell_first() -> Case:
    """For order_by: those nodes before the others."""
    return Case(When(troubled(), then=Value(0)), default=Value(1), output_field=IntegerField())


def trouble(node: Node) -> str:
    """What is wrong with it, "" when nothing is."""
    if node.status == "Failure":
        return f"HyperPod could not start it: {node.message or 'no reason given'}."
    if node.health == PENDING_REBOOT and node.status != "Pending":
        return "HyperPod's health monitoring marked it for a reboot."
    if node.health not in WELL:
        return f"Its health is {node.health}."
    if node.status == "Running" and node.ready is False:
        return "HyperPod runs it, and Kubernetes says that it is not Ready."
    return ""
