"""Status events: rows that tell the pages what changed, written in the transaction that changes it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from operations import clock
from operations.models import Event, Operation, StatusEvent
from operations.models.event import Level

BATCH = 500


def publish(topic: str, kind: str, payload: dict[str, Any]) -> StatusEvent:
    """Appends an event for `topic` ("clusters", "cluster:<name>", "operations", "operation:<id>")."""
    return StatusEvent.objects.create(topic=topic, kind=kind, payload=payload, at=clock.now())


def publish_operation(operation: Operation) -> None:
    """Tells the operation's own topic, the list of operations and its cluster how the operation stands."""
    payload = {
        "id": str(operation.pk),
        "kind": operation.kind,
        "title": operation.title,
        "subject": operation.subject,
        "cluster": operation.cluster,
        "parent": str(operation.parent_id) if operation.parent_id else None,
        "state": str(operation.state),
        "step": operation.step,
        "message": operation.message,
        "waiting_for": operation.waiting_for,
        "error_code": operation.error_code,
    }
    topics = ["operations", f"operation:{operation.pk}"]
    if operation.cluster:
        topics.append(f"cluster:{operation.cluster}")
    at = clock.now()
    StatusEvent.objects.bulk_create([StatusEvent(topic=topic, kind="operation", payload=payload, at=at) for topic in topics])


def note(operation: Operation, code: str, message: str, *, step: str = "", level: Level = Level.INFO) -> None:
    """Appends a line to the operation's history."""
    Event.objects.create(operation=operation, at=clock.now(), level=level, step=step, code=code, message=message)


def latest_id() -> int:
    """Where a reader that wants only what is new begins."""
    return StatusEvent.objects.order_by("-id").values_list("id", flat=True).first() or 0


def tail(after_id: int, limit: int = BATCH) -> list[StatusEvent]:
    """The events after that id, oldest first, at most `limit`. Readers that must miss none use `Tailer`."""
    return list(StatusEvent.objects.filter(id__gt=after_id).order_by("id")[:limit])


class Tailer:
    """Reads each event once and misses none, although PostgreSQL commits ids out of order.

    An id that is skipped may still be in an open transaction; it is looked for again during GAP_SECONDS before it
    counts as rolled back.
    """

    GAP_SECONDS = 5.0

    def __init__(self, after_id: int | None = None) -> None:
        self._floor = latest_id() if after_id is None else after_id
        self._given: set[int] = set()
        self._gap_since = clock.now()

    def read(self) -> list[StatusEvent]:
        """The events that were not given before, in order of their ids."""
        rows = [row for row in tail(self._floor, BATCH + len(self._given)) if row.pk not in self._given]
        self._given.update(row.pk for row in rows)
        self._raise_floor()
        return rows

    def _raise_floor(self) -> None:
        at = clock.now()
        moved = False
        while self._floor + 1 in self._given:
            self._floor += 1
            self._given.discard(self._floor)
            moved = True
        if moved or not self._given:
            self._gap_since = at
        elif at - self._gap_since > timedelta(seconds=self.GAP_SECONDS):
            self._floor = min(self._given) - 1
            self._raise_floor()
