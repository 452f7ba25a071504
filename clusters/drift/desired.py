"""What we last asked for: the creation, then each operation of ours that has ended, in order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from clusters.drift import fields
from clusters.models import Cluster, Desired, DriftLook
from clusters.resolved import ResolvedSpec
from operations.choices import OperationState
from operations.models import Operation

READ_NEXT = object()
"""In place of a value: an operation of ours has touched it, and the next look says how it was left."""
UNDONE = (OperationState.REFUSED, OperationState.EXPIRED)
Wanted = tuple[str, str, Any]


def fold(row: Cluster, look: DriftLook) -> None:
    """Takes what has ended since the last look into what is desired. Runs in the caller's transaction."""
    ended = Operation.objects.filter(cluster=row.name, ended_at__isnull=False).exclude(state__in=UNDONE).order_by("ended_at", "created_at")
    if look.folded_until is not None:
        ended = ended.filter(ended_at__gt=look.folded_until)
    operations = list(ended)
    if look.folded_until is None and not any(one.kind == "cluster.create" for one in operations):
        # Not made here, or so long ago that what was asked since is forgotten: as it is now is how it is meant.
        seed_from_now(row)
    for operation in operations:
        for resource, name, value in _asked(row, operation):
            _put(row, resource, name, value, operation.pk, operation.ended_at or operation.created_at)
        if operation.ended_at is not None:
            look.folded_until = operation.ended_at
    look.folded_until = look.folded_until or row.created_at


def seed_from_now(row: Cluster) -> None:
    """Marks all as to be read at the next look."""
    Desired.objects.get_or_create(cluster=row, resource="*", field="*", defaults={"known": False, "at": row.created_at})


def _asked(row: Cluster, operation: Operation) -> Iterator[Wanted]:
    """(resource, field, value) of what the operation asked for. One that did not succeed may have been half done: then it is read."""
    sure = operation.state == OperationState.SUCCEEDED
    given = operation.input
    if operation.kind == "cluster.create":
        for resource, values in fields.created(ResolvedSpec.model_validate(row.spec)).items():
            yield from ((resource, name, value if sure else READ_NEXT) for name, value in values.items())
    elif operation.kind == "group.add":
        for one in given.get("groups", ()):
            asked = {"count": 1, "labels": {}, "taints": [], **fields.given(one), fields.THERE: True}
            if one.get("volumes") is not None:
                asked["volume_gb"] = next((volume["size_gb"] for volume in one["volumes"] if volume.get("size_gb")), None)
            yield from ((fields.group(one["name"]), name, value if sure else READ_NEXT) for name, value in asked.items())
    elif operation.kind == "group.replace":
        fresh = (operation.plan.get("basis") or {}).get("new", "")
        yield from ((fields.group(fresh), name, READ_NEXT) for name in (fields.THERE, *fields.COMPARED_OF_GROUPS))
        yield fields.group(given["group"]), fields.THERE, False if sure else READ_NEXT
    elif operation.kind == "group.scale":
        yield fields.group(given["group"]), "count", given["count"] if sure else READ_NEXT
    elif operation.kind == "group.update":
        values = fields.given(given)
        yield from ((fields.group(given["group"]), name, value if sure else READ_NEXT) for name, value in values.items())
    elif operation.kind == "group.delete":
        yield fields.group(given["group"]), fields.THERE, False if sure else READ_NEXT
    elif operation.kind == "node.delete":
        yield from ((fields.group(name), "count", READ_NEXT) for name in (operation.plan.get("basis") or {}).get("groups", ()))
    elif operation.kind == "feature.set":
        yield from _of_features(operation, sure)
    elif operation.kind == "drift.revert" and not sure and (operation.plan.get("basis") or {}).get("resource"):
        basis = operation.plan.get("basis") or {}
        yield basis["resource"], basis["field"], READ_NEXT


def _of_features(operation: Operation, sure: bool) -> Iterator[Wanted]:
    for name, wish in ((operation.plan.get("basis") or {}).get("wishes") or {}).items():
        resource = fields.feature(name)
        yield resource, fields.THERE, wish["enabled"] if sure else READ_NEXT
        for setting in wish["settings"] if wish["enabled"] else ():
            # AWS may write a setting in words of its own: it is taken as it was read after our change.
            yield resource, setting, READ_NEXT


def _put(row: Cluster, resource: str, name: str, value: Any, operation: UUID, at: datetime) -> None:
    known = value is not READ_NEXT
    if resource.startswith(fields.GROUP) and name == fields.THERE and value is False:
        row.desired.filter(resource=resource).delete()
    Desired.objects.update_or_create(
        cluster=row,
        resource=resource,
        field=name,
        defaults={"value": value if known else None, "known": known, "operation_id": operation, "accepted": False, "at": at},
    )


def read_unknown(row: Cluster, seen: fields.Fields, at: datetime) -> None:
    """Fills in what an operation of ours has left to be read. Runs in the caller's transaction."""
    everything = row.desired.filter(resource="*").first()
    if everything is not None:
        known = set(row.desired.values_list("resource", "field"))
        fresh = [
            Desired(cluster=row, resource=resource, field=name, value=value, at=at)
            for resource, values in seen.items()
            for name, value in values.items()
            if (resource, name) not in known
        ]
        Desired.objects.bulk_create(fresh)
        everything.delete()
    for one in row.desired.filter(known=False):
        values = seen.get(one.resource)
        if values is not None and one.field in values:
            one.value, one.known, one.at = values[one.field], True, at
            one.save(update_fields=["value", "known", "at"])
        elif values is None and one.resource.startswith(fields.GROUP):
            one.delete()  # the operation was to make it and has not


def wanted(row: Cluster) -> fields.Fields:
    """What is desired, of all that is known."""
    found: fields.Fields = {}
    for one in row.desired.filter(known=True):
        found.setdefault(one.resource, {})[one.field] = one.value
    return found
