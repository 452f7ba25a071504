"""A change of another hand taken over: what is there becomes what is desired. Rows only."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from clusters.drift import fields
from clusters.models import Cluster, Desired, Drift
from clusters.reading.hyperpod import hyperpod_of


def take_over(row: Cluster, drift: Drift, operation: UUID, at: datetime) -> None:
    """Runs in the caller's transaction, the cluster's row locked. Of stacks nothing is kept but the drift's own row."""
    if drift.source != "cluster":
        return
    values = {drift.field: drift.observed}
    if drift.field == fields.THERE:
        row.desired.filter(resource=drift.resource).exclude(field=fields.THERE).delete()
        if drift.observed:
            values |= _all_of(row, drift.resource)
    for name, value in values.items():
        Desired.objects.update_or_create(
            cluster=row,
            resource=drift.resource,
            field=name,
            defaults={"value": value, "known": True, "operation_id": operation, "accepted": True, "at": at},
        )


def _all_of(row: Cluster, resource: str) -> dict[str, object]:
    document = row.documents.filter(name="hyperpod").first()
    if document is None or not document.body:
        return {}
    return dict(fields.observed(hyperpod_of(document.body), row.features.all()).get(resource, {}))
