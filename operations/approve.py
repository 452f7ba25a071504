"""A person's word on an agent's destructive change."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from accounts.principal import Principal
from instantstart.problem import Problem
from operations import action as actions
from operations import clock, events
from operations.asker import require_right
from operations.choices import OperationState
from operations.ending import end, wake
from operations.models import Operation
from operations.permission import permit
from operations.submit import plan_has_errors
from operations.trail import on_trail

AWAITING = Q(state=OperationState.AWAITING_APPROVAL)


@on_trail("operation.approve")
def approve(operation: Operation, principal: Principal, reason: str = "") -> Operation:
    """Lets it start. Raises Problem 403 (rights; agents may not), 409 not_awaiting_approval, 409 asker_may_not, 422 plan_has_errors,
    409 plan_changed, and what the action's guard() raises.

    The plan is made once more: when the world has changed since it was asked, the new plan is kept for the person to
    look at, and nothing starts.
    """
    _permit(operation, principal, "Approving")
    action = actions.find(operation.kind)
    data = action.Input.model_validate(operation.input)
    if operation.state == OperationState.AWAITING_APPROVAL:
        require_right(operation, action, data)
    plan = action.plan(data, principal)
    if plan.errors:
        Operation.objects.filter(AWAITING, pk=operation.pk).update(plan=plan.model_dump(mode="json"), plan_fingerprint=plan.fingerprint)
        raise plan_has_errors(plan)
    if plan.fingerprint != operation.plan_fingerprint:
        Operation.objects.filter(AWAITING, pk=operation.pk).update(plan=plan.model_dump(mode="json"), plan_fingerprint=plan.fingerprint)
        raise Problem(
            409,
            "plan_changed",
            "Plan changed",
            "What would happen is no longer what was asked: the world has changed since.",
            "Look at the new plan and approve again, or refuse.",
            extra={"operation": str(operation.pk)},
        )
    with transaction.atomic():
        done = Operation.objects.filter(AWAITING, pk=operation.pk).update(
            state=OperationState.RECORDED,
            waiting_for="Waits for a worker.",
            decided_by=principal.user,
            decision_reason=reason,
            next_attempt_at=clock.now(),
        )
        operation.refresh_from_db()
        if not done:
            raise _not_awaiting(operation)
        require_right(operation, action, data)
        action.guard(data)
        events.note(operation, "approved", f"Approved by {principal.user.get_username()}. {reason}".strip())
        events.publish_operation(operation)
        wake(operation.pk)
    return operation


@on_trail("operation.refuse")
def refuse(operation: Operation, principal: Principal, reason: str = "") -> Operation:
    """Ends it before it starts. Raises Problem 403, 409 not_awaiting_approval."""
    _permit(operation, principal, "Refusing")
    message = f"Refused by {principal.user.get_username()}. {reason}".strip()
    if not end(operation, OperationState.REFUSED, message, AWAITING, decided_by=principal.user, decision_reason=reason):
        operation.refresh_from_db()
        raise _not_awaiting(operation)
    return operation


def expire_approvals() -> int:
    """Ends the questions that nobody answered in time. How many."""
    hours: float = settings.APPROVAL_HOURS
    before = clock.now() - timedelta(hours=hours)
    return sum(
        end(operation, OperationState.EXPIRED, f"Nobody approved it within {hours:g} hours.", AWAITING)
        for operation in Operation.objects.filter(AWAITING, created_at__lt=before)
    )


def _permit(operation: Operation, principal: Principal, verb: str) -> None:
    permit(principal, actions.find(operation.kind).permission, f"{verb} {operation.title!r}", operation.cluster)
    if principal.agent:
        raise Problem(
            403, "agent_may_not_approve", "Agents may not approve", "An agent's change waits for a person.", "Sign in and decide there."
        )


def _not_awaiting(operation: Operation) -> Problem:
    return Problem(
        409,
        "not_awaiting_approval",
        "Not awaiting approval",
        f"The operation is {OperationState(operation.state).label.lower()}; there is nothing to decide.",
        "Look at the operation.",
        extra={"operation": str(operation.pk)},
    )
