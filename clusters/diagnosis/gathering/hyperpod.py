"""What HyperPod says: its events, its instances, its groups. From the observed rows."""

from __future__ import annotations

from datetime import datetime, timedelta

from clusters.diagnosis.evidence import Evidence, Level, Source, quoted
from clusters.diagnosis.gathering.part import Gathered, Part, PartState
from clusters.groups.advice import trouble
from clusters.models import Cluster, ClusterEvent, InstanceGroup, Node

EVENTS_READ = 200
LOOKED_BACK = timedelta(hours=24)
"""Older events say nothing of now."""
FRESH = timedelta(hours=1)
"""So long an event that tells of nothing that can be looked at stands."""
LEVELS = {"Error": Level.ERROR, "Warn": Level.WARNING}


def gather(found: Gathered, row: Cluster, nodes: list[Node], groups: list[InstanceGroup], now: datetime) -> None:
    """Adds HyperPod's evidence."""
    if row.observed_at is None:
        found.add(Part("hyperpod", PartState.UNREADABLE, None, row.unreadable or "Nothing of the cluster has been read yet."))
        return
    state = PartState.STALE if row.unreadable or row.stale(now) else PartState.READ
    sentence = row.unreadable or ("The last look is older than it should be." if state is PartState.STALE else "")
    since = now - LOOKED_BACK
    events = list(row.events.filter(at__gte=since).exclude(level="Info").order_by("-at", "-id")[:EVENTS_READ])
    rows = [*(_event(event, nodes, groups, now) for event in events), *_groups(groups), *_instances(nodes)]
    found.add(Part("hyperpod", state, row.observed_at, quoted(sentence)), rows)


def _event(event: ClusterEvent, nodes: list[Node], groups: list[InstanceGroup], now: datetime) -> Evidence:
    return Evidence(
        Source.HYPERPOD_EVENT,
        event.instance_id or (f"group {event.group_name}" if event.group_name else "cluster"),
        quoted(event.description),
        event.at,
        LEVELS.get(event.level, Level.WARNING),
        standing=_stands(event, nodes, groups, now),
        node=event.instance_id,
        group=event.group_name,
    )


def _stands(event: ClusterEvent, nodes: list[Node], groups: list[InstanceGroup], now: datetime) -> bool:
    """Of a node: while that instance is there and unwell. Of a group: while nodes are missing, or that node is not up."""
    if event.instance_id:
        node = next((one for one in nodes if one.instance_id == event.instance_id), None)
        if node is not None:
            return bool(trouble(node)) or node.status not in ("Running",)
    group = next((one for one in groups if one.name == event.group_name), None)
    if group is not None:
        return bool(group.missing)
    return not event.group_name and now - event.at < FRESH


def _groups(groups: list[InstanceGroup]) -> list[Evidence]:
    return [
        Evidence(
            Source.GROUP,
            f"group {group.name}",
            quoted(f"Group {group.name} ({group.status}) asked for {group.target_count} nodes and has {group.current_count}"),
            group.observed_at,
            Level.INFO,
            seen=True,
            group=group.name,
        )
        for group in groups
        if group.missing
    ]


def _instances(nodes: list[Node]) -> list[Evidence]:
    """HyperPod's status of a node, where it carries a message or is a failure."""
    return [
        Evidence(
            Source.INSTANCE,
            str(node),
            quoted(f"{node.status}: {node.message}" if node.message else node.status),
            node.observed_at,
            Level.ERROR if node.status == "Failure" else Level.WARNING,
            seen=True,
            node=node.key,
            group=node.group_name,
        )
        for node in nodes
        if node.status == "Failure" or (node.message and node.status != "ShuttingDown")
    ]
