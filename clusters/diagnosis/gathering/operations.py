"""What our own operations ran into."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from clusters.choices import PhaseName
from clusters.diagnosis.evidence import Evidence, Level, Source, quoted
from clusters.diagnosis.gathering.part import Gathered, Part, PartState
from clusters.models import Cluster
from operations.choices import ACTIVE_STATES, OperationState
from operations.models import Operation

LOOKED_BACK = timedelta(hours=24)
OPERATIONS_READ = 50
_ENDED_BADLY = (OperationState.FAILED, OperationState.UNKNOWN)


def gather(found: Gathered, row: Cluster, now: datetime) -> None:
    """Adds the errors of the last day, and what operations wait for now."""
    recent = Q(state__in=ACTIVE_STATES) | Q(created_at__gte=now - LOOKED_BACK)
    columns = (
        "id", "kind", "title", "subject", "state", "input", "plan", "error_code", "error_message", "waiting_for", "message",
        "created_at", "started_at", "ended_at",
    )  # fmt: skip
    operations = list(Operation.objects.filter(recent, cluster=row.name).order_by("-created_at").only(*columns)[:OPERATIONS_READ])
    done: set[tuple[str, str]] = set()
    rows: list[Evidence] = []
    for operation in operations:  # the newest first: what succeeded later makes an earlier failure past
        key = (operation.kind, operation.subject)
        if operation.state == OperationState.SUCCEEDED:
            done.add(key)
        rows += _evidence(operation, now, superseded=key in done)
    found.add(Part("operations", PartState.READ, now), rows)


def _evidence(operation: Operation, now: datetime, *, superseded: bool) -> list[Evidence]:
    active = operation.state in ACTIVE_STATES
    node = next(iter(operation.input.get("nodes") or ()), "") if operation.kind.startswith("node.") else ""
    at = operation.ended_at or operation.started_at or operation.created_at
    subject = quoted(f"operation {operation.title}", 120)
    phase = operation.kind.removeprefix("phase.") if operation.kind.startswith("phase.") else ""
    phase = phase if phase in PhaseName.values else ""
    rows = []
    if operation.error_code and (active or operation.state in _ENDED_BADLY):
        text = quoted(f"{operation.error_code}: {operation.error_message}")
        level = Level.WARNING if active else Level.ERROR
        rows.append(Evidence(Source.OPERATION, subject, text, at, level, standing=not superseded, node=str(node), phase=phase))
    if active and operation.waiting_for:
        text = quoted(operation.waiting_for)
        rows.append(Evidence(Source.OPERATION, subject, text, now, Level.INFO, seen=True, node=str(node), phase=phase))
    return rows
