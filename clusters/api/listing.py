"""The list of clusters without model instances: three queries of plain columns, one dictionary a row.

The same members as ClusterSerializer, which documents them; a test holds the two together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone

from clusters.api.serializers import ClusterSerializer
from clusters.models import InstanceGroup, Phase, is_stale

DERIVED = ("stale", "phases", "groups")
COLUMNS = tuple(name for name in ClusterSerializer.Meta.fields if name not in DERIVED)
DATES = ("created_at", "changed_at", "observed_at", "unreadable_since")
GROUP_COLUMNS = ("name", "instance_type", "capacity", "status", "current_count", "target_count")


def rows(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The clusters' bodies, from dictionaries of `id` and COLUMNS."""
    clusters = list(found)
    ids = [one["id"] for one in clusters]
    phases: dict[int, list[dict[str, str]]] = defaultdict(list)
    for cluster, name, state in Phase.objects.filter(cluster__in=ids).order_by("position").values_list("cluster_id", "name", "state"):
        phases[cluster].append({"name": name, "state": state})
    groups: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for cluster, *values in InstanceGroup.objects.filter(cluster__in=ids).order_by("name").values_list("cluster_id", *GROUP_COLUMNS):
        groups[cluster].append(dict(zip(GROUP_COLUMNS, values, strict=True)))
    at = timezone.now()
    return [_row(one, phases[one["id"]], groups[one["id"]], at) for one in clusters]


def _row(one: dict[str, Any], phases: list[dict[str, str]], groups: list[dict[str, Any]], at: datetime) -> dict[str, Any]:
    body = {name: one[name] for name in COLUMNS}
    for name in DATES:
        body[name] = _iso(body[name])
    body["operation_id"] = str(body["operation_id"]) if body["operation_id"] else None
    body["stale"] = is_stale(one["observed_at"], one["interval"], at)
    body["phases"] = phases
    body["groups"] = groups
    return body


def _iso(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat().replace("+00:00", "Z")
