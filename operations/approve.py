"""A person's word on an agent's change."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from accounts.principal import Principal
from instantstart.problem import Problem
from operations import action as actions
from operations import clock, events
from operations.agents import approval, rules
from operations.agents import telling as approvals
from operations.asker import require_right
from operations.choices import OperationState
from operations.ending import end, permission_of, wake
from operations.models import AgentRules, Operation
from operations.models.event import Level
from operations.permission import permit
from operations.plan import Plan
from operations.submit import plan_has_errors
from operations.trail import on_trail

AWAITING = Q(state=OperationState.AWAITING_APPROVAL)


@on_trail("operation.approve")
def approve(operation: Operation, principal: Principal, reason: str = "", *, plan_fingerprint: str = "") -> Operation:
    """Lets it start. plan_fingerprint: of the plan that the person saw, "" when that is not told.

    Raises Problem 403 (rights; agents may not), 409 agents_stopped, 409 not_awaiting_approval, 409 asker_may_not, 422 plan_has_errors,
    409 plan_changed, and what the action's guard() raises.

    The plan is made once more: when the world has changed since it was asked, the new plan is kept for the person to
    look at, both sides are told, and nothing starts.
    """
    may_approve(operation, principal)
    if plan_fingerprint and plan_fingerprint != operation.plan_fingerprint:
        raise _plan_changed(operation)  # put anew already, after the person had looked
    action = actions.find(operation.kind)
    data = action.Input.model_validate(operation.input)
    require_right(operation, action, data)
    plan = action.plan(data, principal)
    if plan.fingerprint != operation.plan_fingerprint:
        _ask_again(operation, plan)
        raise plan_has_errors(plan) if plan.errors else _plan_changed(operation)
    if plan.errors:
        Operation.objects.filter(AWAITING, pk=operation.pk).update(plan=plan.model_dump(mode="json"))
        raise plan_has_errors(plan)
    with transaction.atomic():
        _refuse_while_stopped(rules.locked())
        # What the other door's person has not seen is not approved: the fingerprint must still be the one that was looked at.
        done = Operation.objects.filter(AWAITING, pk=operation.pk, plan_fingerprint=plan.fingerprint).update(
            state=OperationState.RECORDED,
            waiting_for="Waits for a worker.",
            decided_by=principal.user,
            decision_reason=reason,
            next_attempt_at=clock.now(),
        )
        operation.refresh_from_db()
        if not done:
            raise _plan_changed(operation) if operation.state == OperationState.AWAITING_APPROVAL else _not_awaiting(operation)
        require_right(operation, action, data)
        action.guard(data)
        events.note(operation, "approved", f"Approved by {principal.user.get_username()}. {reason}".strip())
        events.publish_operation(operation)
        approvals.approved(operation, action.permission)
        wake(operation.pk)
    return operation


@on_trail("operation.refuse")
def refuse(operation: Operation, principal: Principal, reason: str = "") -> Operation:
    """Ends it before it starts; also while agents are stopped. Raises Problem 403, 409 not_awaiting_approval."""
    may_refuse(operation, principal)
    message = f"Refused by {principal.user.get_username()}. {reason}".strip()
    if not end(operation, OperationState.REFUSED, message, AWAITING, decided_by=principal.user, decision_reason=reason):
        operation.refresh_from_db()
        raise _not_awaiting(operation)
    return operation


def may_approve(operation: Operation, principal: Principal) -> None:
    """Raises Problem 403 (rights; agents may not), 409 agents_stopped, 409 not_awaiting_approval."""
    _permit(operation, principal, "Approving")
    _refuse_while_stopped(rules.current())
    _require_awaiting(operation)


def may_refuse(operation: Operation, principal: Principal) -> None:
    """Raises Problem 403 (rights; agents may not), 409 not_awaiting_approval."""
    _permit(operation, principal, "Refusing")
    _require_awaiting(operation)


def expire_approvals() -> int:
    """Ends the questions that nobody answered in time. How many."""
    at = clock.now()
    before = at - (approval.expires_at(at) - at)
    return sum(
        end(operation, OperationState.EXPIRED, f"Nobody approved it within {settings.APPROVAL_HOURS:g} hours.", AWAITING)
        for operation in Operation.objects.filter(AWAITING, created_at__lt=before)
    )


def _ask_again(operation: Operation, plan: Plan) -> None:
    """Keeps the plan as it is now for the person to look at, and tells both sides. What was approved would be something else."""
    with transaction.atomic():
        changed = Operation.objects.filter(AWAITING, pk=operation.pk, plan_fingerprint=operation.plan_fingerprint).update(
            plan=plan.model_dump(mode="json"), plan_fingerprint=plan.fingerprint, added_cost_per_hour=approval.added_cost(plan)
        )
        operation.refresh_from_db()
        if not changed:
            return
        events.note(
            operation,
            "plan_changed",
            "The world has changed since it was asked: it waits for a person's word on the plan as it is now.",
            level=Level.WARNING,
        )
        events.publish_operation(operation)
        approvals.asked_again(operation, permission_of(operation))


def _require_awaiting(operation: Operation) -> None:
    operation.refresh_from_db(fields=["state"])
    if operation.state != OperationState.AWAITING_APPROVAL:
        raise _not_awaiting(operation)


def _refuse_while_stopped(now: AgentRules) -> None:
    if now.stopped:
        raise Problem(
            409,
            "agents_stopped",
            "Agents are stopped",
            f"What an agent asked for can't be approved: {rules.sentence(now)}",
            "Refuse it, or have an administrator start agents again.",
        )


def _permit(operation: Operation, principal: Principal, verb: str) -> None:
    permit(principal, actions.find(operation.kind).permission, f"{verb} {operation.title!r}", operation.cluster)
    if principal.agent:
        raise Problem(
            403, "agent_may_not_approve", "Agents may not approve", "An agent's change waits for a person.", "Sign in and decide there."
        )


def _plan_changed(operation: Operation) -> Problem:
    return Problem(
        409,
        "plan_changed",
        "Plan changed",
        "What would happen is no longer what was asked: the world has changed since.",
        "Look at the new plan and approve again, or refuse.",
        extra={"operation": str(operation.pk)},
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
