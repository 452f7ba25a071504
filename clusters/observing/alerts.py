"""What one look says is the matter with nodes and capacity. Nothing is said of what could not be read."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q
from django.urls import reverse

from clusters.groups.advice import next_steps, trouble
from clusters.groups.choice import WELL
from clusters.models import Cluster, ClusterEvent, InstanceGroup, Node
from clusters.observing.look import Look
from operations.alerts import AlertKind, AlertSeverity, Trouble, tell_all
from operations.choices import ACTIVE_STATES
from operations.models import Alert, Operation

BOOT = timedelta(minutes=5)
"""A node younger than this may still come up: that Kubernetes does not call it Ready says nothing yet."""
RECENT = timedelta(hours=1)
"""Errors older than this do not explain why nodes are missing now."""


def tell(row: Cluster, seen: Look) -> None:
    """Opens, changes and closes the cluster's alerts; after groups, nodes and events were written."""
    if seen.instances is not None and seen.nodes is not None:
        tell_all(AlertKind.NODE_UNHEALTHY, row.name, _nodes(row, seen.began))
    if seen.hyperpod_read:
        tell_all(AlertKind.CAPACITY_PARTIAL, row.name, _capacity(row, seen.began))


def _nodes(row: Cluster, at: datetime) -> dict[str, Trouble]:
    suspects = list(row.nodes.filter(Q(status="Failure") | ~Q(health__in=WELL) | Q(status="Running", ready=False)))
    if not suspects:
        return {}
    worked_on = _worked_on(row.name)
    troubles = {}
    for node in suspects:
        why = trouble(node)
        young = node.status == "Running" and node.health in WELL and node.launched_at is not None and at - node.launched_at < BOOT
        if why and not young and node.key not in worked_on:
            link = reverse("clusters-web:node", args=[row.name, node.key])
            sentence = f"{node} of group {node.group_name} is not well. {why}"
            troubles[f"node:{row.name}/{node.key}"] = Trouble(sentence, _advice(node), AlertSeverity.ERROR, link)
    return troubles


def _worked_on(cluster: str) -> set[str]:
    """Nodes that an operation reboots, replaces or drains now: what they look like meanwhile is its doing."""
    inputs = Operation.objects.filter(cluster=cluster, kind__startswith="node.", state__in=ACTIVE_STATES).values_list("input", flat=True)
    return {key for given in inputs for key in given.get("nodes", ())}


def _advice(node: Node) -> str:
    steps = next_steps(node, [])
    return f"{steps[1].action.capitalize()} it. {steps[1].reason}" if len(steps) > 1 else ""


def _capacity(row: Cluster, at: datetime) -> dict[str, Trouble]:
    """Groups that miss nodes and for which HyperPod told of an error lately; one known to be short stays so until all nodes are there."""
    short = [group for group in row.groups.all() if group.missing]
    if not short:
        return {}
    known = Alert.objects.filter(kind=AlertKind.CAPACITY_PARTIAL, cluster=row.name, closed_at=None)
    open_subjects = set(known.values_list("subject", flat=True))
    troubles = {}
    for group in short:
        subject = f"group:{row.name}/{group.name}"
        error = _error(row, group, at)
        if error is not None or subject in open_subjects:
            troubles[subject] = _short(row, group, error)
    return troubles


def _error(row: Cluster, group: InstanceGroup, at: datetime) -> ClusterEvent | None:
    return row.events.filter(group_name=group.name, level="Error", at__gte=at - RECENT).order_by("-at", "-id").first()


def _short(row: Cluster, group: InstanceGroup, error: ClusterEvent | None) -> Trouble:
    sentence = f"Group {group.name} of {row.name} asked for {group.target_count} nodes and has {group.current_count}."
    if error is not None:
        sentence = f"{sentence} HyperPod: {error.description}"
    link = reverse("clusters-web:detail", args=[row.name])
    return Trouble(sentence, error.hint if error is not None else "", AlertSeverity.WARNING, link)
