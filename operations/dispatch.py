"""Offers one due row to the workers: used by the dispatcher for all, by requests for the one they have just made."""

from __future__ import annotations

from typing import Any

from operations import leases, points, queue
from operations.models import Delivery, ObservedSource, Operation
from operations.models.leased import Leased

TASKS: dict[type[Leased], str] = {
    Operation: "operations.tasks.advance",
    ObservedSource: "operations.tasks.observe",
    Delivery: "operations.tasks.deliver",
}


def dispatch(model: type[Leased], pk: Any, fencing_token: int) -> bool:
    """Leases the row for a task and enqueues it. False when somebody was faster or the broker is away."""
    points.reach("offer.before")
    offered = leases.offer(model, pk, fencing_token)
    if offered is None:
        return False
    points.reach("offer.committed")
    if not queue.enqueue(TASKS[model], str(pk), offered):
        leases.withdraw(model, pk, offered)
        return False
    points.reach("offer.enqueued")
    return True


def hint(operation_id: Any) -> bool:
    """Starts an operation at once if it is due; what a hint misses the dispatcher finds."""
    row = Operation.objects.filter(pk=operation_id).values_list("fencing_token", flat=True).first()
    return row is not None and dispatch(Operation, operation_id, row)
