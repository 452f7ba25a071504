"""How an operation ends or halts: one place that writes the state and all that follows from it, in one transaction."""

from __future__ import annotations

from functools import partial
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q

from accounts import limits
from operations import action as actions
from operations import clock, dispatch, events, leases, notifications, observing, points
from operations.agents import telling as approvals
from operations.alerts.endings import operation_ended
from operations.choices import DUE_STATES, OperationState
from operations.models import Operation
from operations.models.event import Level
from operations.step import Fault

log = structlog.get_logger(__name__)

LEVELS: dict[OperationState, Level] = {
    OperationState.SUCCEEDED: Level.INFO,
    OperationState.FAILED: Level.ERROR,
    OperationState.CANCELLED: Level.WARNING,
    OperationState.REFUSED: Level.WARNING,
    OperationState.EXPIRED: Level.WARNING,
    OperationState.UNKNOWN: Level.ERROR,
}


def end(operation: Operation, state: OperationState, message: str, where: Q, fault: Fault | None = None, **fields: Any) -> bool:
    """Moves the operation to a final state (or to `unknown`, where a person decides) if it still is as `where` says.

    Frees the lease and the lock, tells the action, the history, the pages, the actor and the parent. False: it is not
    as `where` says any more and nothing was written.
    """
    at = clock.now()
    final = state != OperationState.UNKNOWN
    columns: dict[str, Any] = {
        "state": state,
        "message": message,
        "waiting_for": "" if final else "Waits for a person to say how it ended.",
        "error_code": fault.code if fault else "",
        "error_message": fault.message if fault else "",
        "error_hint": fault.hint if fault else "",
        "error_category": fault.category if fault else "",
        "next_attempt_at": None,
        "lease_owner": "",
        "lease_expires_at": None,
        "ended_at": at if final else None,
        **fields,
    }
    points.reach("end.before")
    with transaction.atomic():
        if not Operation.objects.filter(where, pk=operation.pk).update(**columns):
            return False
        operation.refresh_from_db()
        events.note(operation, fault.code if fault else str(state), fault.message if fault else message or state.label, level=LEVELS[state])
        if final:
            try:
                action = actions.find(operation.kind)
            except KeyError:  # an older release's action: its rows have nobody left to tell
                log.warning("operation_without_action", kind=operation.kind)
            else:
                action.finished(operation)
            notifications.operation_ended(operation)
            if operation.started_at is None:
                limits.give_back(operation.pk)
            approvals.ended(operation, permission_of(operation))
        else:
            notifications.decision_asked(operation, permission_of(operation))
        operation_ended(operation)
        events.publish_operation(operation)
        if operation.cluster:
            observing.poke_cluster(operation.cluster)
        if operation.parent_id is not None:
            wake(operation.parent_id)
    points.reach("end.committed")
    log.info("operation_ended" if final else "operation_unknown", state=str(state), code=operation.error_code)
    return True


def wake(operation_id: Any) -> None:
    """Makes an operation due now and, when the transaction commits, starts it."""
    if leases.poke(Operation, Q(pk=operation_id, state__in=DUE_STATES)):
        transaction.on_commit(partial(dispatch.hint, operation_id))


def permission_of(operation: Operation) -> Any:
    """The weakest role that may carry out the operation's action; admin when the action is no longer known."""
    from accounts.choices import Role

    try:
        return actions.find(operation.kind).permission
    except KeyError:
        return Role.ADMIN
