"""A cluster as lists show it, kept as JSON text in its row: whoever changes a cluster writes it, so that a list of many reads one column.

The members are those of clusters.api.serializers.ClusterSerializer, which documents them; a test holds the two together.
`stale` is left out, for it depends on when one looks.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from clusters.models import Cluster, InstanceGroup, Phase

COLUMNS = (
    "name",
    "origin",
    "eks_name",
    "hyperpod_name",
    "adopted_at",
    "region",
    "account",
    "account_name",
    "state",
    "message",
    "kubernetes_version",
    "deletion_protection",
    "instance_count",
    "node_count",
    "ready_node_count",
    "cost_per_hour",
    "eks_arn",
    "hyperpod_arn",
    "operation_id",
    "operation_kind",
    "operation_state",
    "created_by",
    "created_at",
    "changed_at",
    "observed_at",
    "interval",
    "unreadable_since",
    "unreadable",
)
GROUP_COLUMNS = ("name", "instance_type", "capacity", "status", "current_count", "target_count")


def body(cluster: Cluster) -> dict[str, Any]:
    """Two queries."""
    made: dict[str, Any] = {name: getattr(cluster, name) for name in COLUMNS}
    for name, value in made.items():
        if isinstance(value, datetime):
            made[name] = value.isoformat().replace("+00:00", "Z")
    made["eks_name"], made["hyperpod_name"] = cluster.eks, cluster.hyperpod
    made["operation_id"] = str(cluster.operation_id) if cluster.operation_id else None
    phases = Phase.objects.filter(cluster=cluster).order_by("position").values_list("name", "state")
    made["phases"] = [{"name": name, "state": state} for name, state in phases]
    made["groups"] = list(InstanceGroup.objects.filter(cluster=cluster).order_by("name").values(*GROUP_COLUMNS))
    return made


def text(cluster: Cluster) -> str:
    return json.dumps(body(cluster), ensure_ascii=False, separators=(",", ":"))
