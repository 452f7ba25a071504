"""A person's word on an operation whose outcome can't be told."""

from __future__ import annotations

from typing import Literal

from django.db import transaction
from django.db.models import Q

from accounts.principal import Principal
from instantstart.problem import Problem
from operations import action as actions
from operations import clock, events
from operations.choices import Category, OperationState
from operations.ending import end, wake
from operations.models import Intent, Operation
from operations.models.intent import IntentOutcome
from operations.permission import permit
from operations.progress import moved
from operations.step import Fault
from operations.trail import on_trail

UNDECIDED = Q(state=OperationState.UNKNOWN)

ResolvedAs = Literal["succeeded", "failed"]


@on_trail("operation.resolve")
def resolve(operation: Operation, principal: Principal, outcome: str, reason: str) -> Operation:
    """ "succeeded": the step had its effect; the operation goes on with the next. "failed": it had none; the operation fails.

    Raises Problem 403 (rights; agents may not), 409 not_unknown, 422 invalid_outcome.
    """
    may_resolve(operation, principal)
    if outcome not in ("succeeded", "failed"):
        raise Problem(422, "invalid_outcome", "Invalid outcome", f"{outcome!r} is no outcome.", 'Give "succeeded" or "failed".')
    said = f"{principal.user.get_username()} says it {outcome}. {reason}".strip()
    if outcome == "failed":
        fault = Fault("resolved_as_failed", said, "Try again.", Category.TERMINAL)
        rows = moved(operation.steps, operation.step, "failed", said, clock.now())
        with transaction.atomic():
            done = end(
                operation, OperationState.FAILED, said, UNDECIDED, fault, steps=rows, decided_by=principal.user, decision_reason=reason
            )
            if done:
                _settle(operation, IntentOutcome.FAILED)
        if not done:
            raise _not_unknown(operation)
        return operation
    with transaction.atomic():
        done = bool(
            Operation.objects.filter(UNDECIDED, pk=operation.pk).update(
                state=OperationState.CANCELLING if operation.cancel_requested_at else OperationState.RUNNING,
                steps=moved(operation.steps, operation.step, "ready", said, clock.now()),
                message=said,
                waiting_for="Waits for a worker.",
                attempts=0,
                error_code="",
                error_message="",
                error_hint="",
                error_category="",
                decided_by=principal.user,
                decision_reason=reason,
                next_attempt_at=clock.now(),
            )
        )
        if done:
            _settle(operation, IntentOutcome.SUCCEEDED)
            operation.refresh_from_db()
            events.note(operation, "resolved", said, step=operation.step)
            events.publish_operation(operation)
            wake(operation.pk)
    if not done:
        raise _not_unknown(operation)
    return operation


def may_resolve(operation: Operation, principal: Principal) -> None:
    """Raises Problem 403 (rights; agents may not), 409 not_unknown."""
    permit(principal, actions.find(operation.kind).permission, f"Resolving {operation.title!r}", operation.cluster)
    if principal.agent:
        raise Problem(
            403, "agent_may_not_resolve", "Agents may not resolve", "Only a person can say how it ended.", "Sign in and decide there."
        )
    operation.refresh_from_db(fields=["state"])
    if operation.state != OperationState.UNKNOWN:
        raise _not_unknown(operation)


def _settle(operation: Operation, outcome: IntentOutcome) -> None:
    Intent.objects.filter(Q(ended_at=None) | Q(outcome=IntentOutcome.UNKNOWN), operation=operation, step=operation.step).update(
        outcome=outcome, ended_at=clock.now(), error_code="resolved_by_a_person"
    )


def _not_unknown(operation: Operation) -> Problem:
    operation.refresh_from_db()
    return Problem(
        409,
        "not_unknown",
        "Not unknown",
        f"The operation is {OperationState(operation.state).label.lower()}; its outcome is no question.",
        "Look at the operation.",
        extra={"operation": str(operation.pk)},
    )
