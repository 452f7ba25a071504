"""Keeps groups, nodes and events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from clusters.groups.change import current
from clusters.models import Cluster, ClusterEvent, InstanceGroup, Node
from clusters.models.event import EVENTS_KEPT_PER_CLUSTER
from clusters.prices import Book
from clusters.reading.failures import UNCLASSIFIED, cause_of
from clusters.reading.hyperpod import EventReading, GroupReading, HyperPodReading, InstanceReading
from clusters.reading.kubernetes import NodeReading
from clusters.reading.pods import PodReading, titles

GROUP_FIELDS = ("instance_type", "capacity", "status", "current_count", "target_count", "min_count", "price_per_hour", "facts")
NODE_FIELDS = (
    "instance_id",
    "logical_id",
    "group_name",
    "instance_type",
    "status",
    "message",
    "kubernetes_name",
    "private_dns",
    "zone",
    "ready",
    "schedulable",
    "health",
    "launched_at",
    "image_release",
    "gpus",
    "gpus_used",
    "efa",
    "labels",
    "work",
    "boot_id",
)
BATCH = 500
WORK_SHOWN = 20


def write_groups(row: Cluster, hyperpod: HyperPodReading | None, at: datetime) -> bool:
    """Whether anything changed. No HyperPod cluster: no groups."""
    wanted: dict[str, dict[str, Any]] = {}
    book = Book([row.region] if hyperpod else ())
    for group in hyperpod.groups if hyperpod else ():
        wanted[group.name] = {
            "instance_type": group.instance_type,
            "capacity": str(group.capacity),
            "status": group.status,
            "current_count": group.current_count,
            "target_count": group.target_count,
            "min_count": group.min_count,
            "price_per_hour": price.per_hour if (price := book.quote(group.instance_type, row.region)) else None,
            "facts": group_facts(group),
        }
    if hyperpod is not None:
        row.instance_count = hyperpod.target_count
    known = {group.name: group for group in row.groups.all()}
    return sync(InstanceGroup, row, "name", GROUP_FIELDS, wanted, known, at)


def group_facts(group: GroupReading) -> dict[str, Any]:
    """What HyperPod says of the group besides its counts: its settings, its software, what goes on."""
    raw = group.raw
    return {
        "settings": current(group),
        "execution_role": raw.get("ExecutionRole", ""),
        "image_release": raw.get("CurrentImageReleaseVersion", ""),
        "image_standing": raw.get("ImageVersionStatus", ""),
        "software_update": raw.get("SoftwareUpdateStatus", ""),
        "operations": dict(raw.get("ActiveOperations") or {}),
    }


def write_nodes(
    row: Cluster, instances: list[InstanceReading], nodes: list[NodeReading] | None, pods: list[PodReading] | None, at: datetime
) -> bool:
    """nodes, pods: None where Kubernetes could not be read; then readiness and use are None, never a guess."""
    on_node: dict[str, list[PodReading]] = defaultdict(list)
    for pod in pods or ():
        if not pod.ended:
            on_node[pod.node].append(pod)
    by_name = {node.name: node for node in nodes or ()}
    wanted: dict[str, dict[str, Any]] = {}
    for item in instances:
        node = by_name.get(item.kubernetes_name)
        wanted[item.key] = {
            "instance_id": item.instance_id,
            "logical_id": item.logical_id,
            "group_name": item.group_name,
            "instance_type": item.instance_type,
            "status": item.status,
            "message": item.message[:1000],
            "kubernetes_name": node.name if node else "",
            "private_dns": item.private_dns,
            "zone": node.zone if node else "",
            "ready": node.ready if node else None,
            "schedulable": node.schedulable if node else None,
            "health": node.health if node else "",
            "launched_at": item.launched_at,
            "image_release": item.image_release,
            "gpus": node.gpus if node else None,
            "gpus_used": sum(pod.gpus for pod in on_node[node.name]) if node and pods is not None else None,
            "efa": node.efa if node else None,
            "labels": dict(node.labels) if node else {},
            "work": titles(pod for pod in on_node[node.name] if pod.work)[:WORK_SHOWN] if node else [],
            "boot_id": node.boot_id if node else "",
        }
    row.node_count = len(wanted)
    row.ready_node_count = sum(1 for fields in wanted.values() if fields["ready"])
    known = {node.key: node for node in row.nodes.all()}
    return sync(Node, row, "key", NODE_FIELDS, wanted, known, at)


def sync(
    model: Any,
    row: Cluster,
    key_field: str,
    fields: tuple[str, ...],
    wanted: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, Any],
    at: datetime,
) -> bool:
    """Makes the rows those of `wanted`, writing only what differs."""
    fresh = [model(cluster=row, observed_at=at, **{key_field: key}, **values) for key, values in wanted.items() if key not in known]
    moved = []
    for key, values in wanted.items():
        old = known.get(key)
        if old is not None and any(getattr(old, name) != values[name] for name in fields):
            for name in fields:
                setattr(old, name, values[name])
            moved.append(old)
    gone = [old.pk for key, old in known.items() if key not in wanted]
    if fresh:
        model.objects.bulk_create(fresh, batch_size=BATCH)
    if moved:
        model.objects.bulk_update(moved, fields, batch_size=BATCH)
    if gone:
        model.objects.filter(pk__in=gone).delete()
    model.objects.filter(cluster=row).update(observed_at=at)
    return bool(fresh or moved or gone)


def write_events(row: Cluster, events: list[EventReading]) -> bool:
    """Adds events not yet known; only the newest EVENTS_KEPT_PER_CLUSTER stay."""
    known = set(row.events.filter(event_id__in=[event.event_id for event in events]).values_list("event_id", flat=True))
    fresh = []
    for event in events:
        if event.event_id in known:
            continue
        cause = cause_of(event.description) if event.level in ("Error", "Warn") else UNCLASSIFIED
        classified = cause is not UNCLASSIFIED
        fresh.append(
            ClusterEvent(
                cluster=row,
                event_id=event.event_id,
                at=event.at,
                level=event.level,
                resource_type=event.resource_type,
                group_name=event.group_name,
                instance_id=event.instance_id,
                description=event.description,
                code=cause.code if classified else "",
                hint=cause.hint[:500] if classified else "",
            )
        )
    if not fresh:
        return False
    ClusterEvent.objects.bulk_create(reversed(fresh), ignore_conflicts=True)
    surplus = list(row.events.order_by("-at", "-id").values_list("pk", flat=True)[EVENTS_KEPT_PER_CLUSTER:])
    if surplus:
        ClusterEvent.objects.filter(pk__in=surplus).delete()
    return True
