"""Keeps EKS's node groups with their nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from clusters import tags
from clusters.models import Cluster, NodeGroup
from clusters.node_groups import prices
from clusters.observing.nodes import WORK_SHOWN, sync
from clusters.reading.kubernetes import NodeReading
from clusters.reading.node_groups import LABEL, NodeGroupReading
from clusters.reading.pods import PodReading, titles

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
FIELDS = (
    "arn",
    "status",
    "capacity",
    "instance_types",
    "minimum",
    "maximum",
    "desired",
    "issues",
    "labels",
    "subnets",
    "version",
    "ours",
    "price_per_hour",
    "nodes",
)


def write_node_groups(
    row: Cluster, groups: Sequence[NodeGroupReading], nodes: Sequence[NodeReading] | None, pods: Sequence[PodReading] | None, at: datetime
) -> bool:
    """Whether anything changed. nodes, pods: None where Kubernetes could not be read."""
    wanted = {group.name: _fields(row, group, nodes, pods) for group in groups}
    known = {one.name: one for one in row.node_groups.all()}
    if not wanted and not known:
        return False
    return sync(NodeGroup, row, "name", FIELDS, wanted, known, at)


def _fields(
    row: Cluster, group: NodeGroupReading, nodes: Sequence[NodeReading] | None, pods: Sequence[PodReading] | None
) -> Mapping[str, Any]:
    own = None if nodes is None else [node for node in nodes if node.labels.get(LABEL) == group.name]
    # Where the launch template names the type, the nodes tell it.
    types = group.instance_types or sorted({node.labels.get(INSTANCE_TYPE, "") for node in own or ()} - {""})
    return {
        "arn": group.arn,
        "status": group.status,
        "capacity": group.capacity,
        "instance_types": types,
        **group.counts,
        "issues": [{"code": issue.code, "message": issue.message} for issue in group.issues],
        "labels": dict(group.raw.get("labels") or {}),
        "subnets": list(group.raw.get("subnets") or ()),
        "version": str(group.raw.get("version", "")),
        "ours": group.tags.get(tags.CLUSTER) == row.name,
        "price_per_hour": prices.per_hour(types, 1, group.capacity, row.region),
        "nodes": None if own is None else [_node(node, pods) for node in sorted(own, key=lambda node: node.name)],
    }


def _node(node: NodeReading, pods: Sequence[PodReading] | None) -> dict[str, Any]:
    work = titles(pod for pod in pods or () if pod.node == node.name and pod.work)[:WORK_SHOWN]
    return {
        "name": node.name,
        "instance_id": node.instance_id,
        "instance_type": node.labels.get(INSTANCE_TYPE, ""),
        "zone": node.zone,
        "ready": node.ready,
        "schedulable": node.schedulable,
        "work": work,
    }
