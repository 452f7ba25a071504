"""Cancelling: a desired state that the engine converges to."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from accounts.principal import Principal
from instantstart.problem import Problem
from operations import action as actions
from operations import clock, events
from operations.choices import OperationState
from operations.ending import end, wake
from operations.models import Operation
from operations.models.event import Level
from operations.permission import permit
from operations.trail import on_trail

RUNNING = (OperationState.RECORDED, OperationState.RUNNING)
CANCELLABLE = (*RUNNING, OperationState.AWAITING_APPROVAL, OperationState.CANCELLING)


@on_trail("operation.cancel")
def cancel(operation: Operation, principal: Principal) -> Operation:
    """Asks for the operation to stop. What runs outside is brought to rest first: state `cancelling`, then `cancelled`.

    Asked twice it changes nothing. Raises Problem 403 (rights), 409 not_cancellable, 409 operation_ended.
    """
    may_cancel(operation, principal)
    return request_cancel(operation, f"Cancelled by {principal.user.get_username()}.")


def may_cancel(operation: Operation, principal: Principal) -> None:
    """Raises Problem 403 (rights), 409 not_cancellable, 409 operation_ended."""
    action = actions.find(operation.kind)
    permit(principal, action.permission, f"Cancelling {operation.title!r}", operation.cluster)
    if not action.cancellable:
        raise Problem(409, "not_cancellable", "Not cancellable", f"{operation.title} can't be cancelled once begun.", "Wait for it to end.")
    operation.refresh_from_db(fields=["state"])
    if operation.state not in CANCELLABLE:
        raise _ended(operation)


def request_cancel(operation: Operation, message: str) -> Operation:
    """The same without a question of rights: for an operation that is part of a cancelled one."""
    waiting = Q(state=OperationState.AWAITING_APPROVAL)
    running = Q(state__in=RUNNING)
    if end(operation, OperationState.CANCELLED, message, waiting, cancel_requested_at=clock.now()):
        return operation
    with transaction.atomic():
        done = Operation.objects.filter(running, pk=operation.pk).update(
            state=OperationState.CANCELLING,
            cancel_requested_at=clock.now(),
            waiting_for="Cancelling: waits for what is running to come to rest.",
        )
        operation.refresh_from_db()
        if done:
            events.note(operation, "cancel_requested", message, level=Level.WARNING)
            events.publish_operation(operation)
            wake(operation.pk)
    if operation.state == OperationState.CANCELLING:
        return operation
    raise _ended(operation)


def _ended(operation: Operation) -> Problem:
    return Problem(
        409,
        "operation_ended",
        "Operation ended",
        f"The operation is {OperationState(operation.state).label.lower()}.",
        "Say how it ended (resolve)." if operation.state == OperationState.UNKNOWN else "There is nothing left to cancel.",
        extra={"operation": str(operation.pk)},
    )
