"""The one way in: validates, checks rights, plans, and records the operation before anything outside is touched."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from pydantic import BaseModel, ValidationError

from accounts import limits
from accounts.principal import Principal
from instantstart.input_errors import field_errors
from instantstart.problem import FieldError, Problem
from operations import action as actions
from operations import clock, dispatch, events, look_first, points, trail
from operations.action import Action
from operations.agents import approval, rules
from operations.agents import telling as approvals
from operations.choices import DUE_STATES, Channel, OperationState
from operations.conflict import in_progress
from operations.models import Operation
from operations.models.operation import LOCKING_STATES
from operations.permission import permit
from operations.plan import Plan
from operations.progress import listed_steps
from operations.submission import Submission

log = structlog.get_logger(__name__)


def submit(
    kind: str,
    raw_input: Mapping[str, Any],
    principal: Principal,
    *,
    channel: str,
    idempotency_key: str | None = None,
    dry_run: bool = False,
    plan_fingerprint: str | None = None,
    parent: Operation | None = None,
    parent_step: str = "",
    reason: str = "",
) -> Submission:
    """Plans the action and, unless it is a dry run or changes nothing, records an operation that starts at once.

    idempotency_key: the same key and input of the same user give the operation made the first time.
    plan_fingerprint: refuse when the plan is no longer the one the person saw. parent, parent_step: the step of another
    operation that this is part of; rights and approval were settled there, and a child without differences is recorded
    too, since its end tells the parent to go on. reason: why, in the caller's own words, kept with the operation.

    Raises Problem: 404 unknown_action, 422 invalid_input, 403 (see permission.permit; agents_stopped), 429 token_limit,
    422 plan_has_errors, 409 plan_changed, 409 plan_required and plan_too_old (see look_first), 409 operation_in_progress
    (extra: operation), 422 idempotency_key_reused. Then nothing is written.
    """
    action = _action(kind)
    data = parse(action, raw_input)
    asked = partial(_submit, action, data, principal, channel, idempotency_key, dry_run, plan_fingerprint, parent, parent_step, reason)
    if parent is not None or dry_run:
        return asked()
    with trail.refusals(kind, principal, ":".join(action.subject(data)), channel):
        return asked()


def _submit(
    action: Action[Any],
    data: BaseModel,
    principal: Principal,
    channel: str,
    idempotency_key: str | None,
    dry_run: bool,
    plan_fingerprint: str | None,
    parent: Operation | None,
    parent_step: str,
    reason: str,
) -> Submission:
    cluster = action.cluster(data)
    if parent is None:
        permit(principal, action.permission, action.title, cluster, new=action.makes_cluster, account=action.account(data))
    fingerprint = request_fingerprint(action.kind, data)
    if idempotency_key is not None and not dry_run and (earlier := _earlier(principal, idempotency_key, fingerprint)):
        return earlier

    plan = action.plan(data, principal)
    if dry_run:
        look_first.note(principal, plan)
        return Submission(plan, None, plan.changed)
    if plan.errors:
        raise plan_has_errors(plan)
    if plan_fingerprint is not None and plan_fingerprint != plan.fingerprint:
        raise Problem(
            409,
            "plan_changed",
            "Plan changed",
            "What would happen is no longer what the plan showed: the world has changed since.",
            "Look at the new plan and confirm it.",
            extra={"plan": plan.model_dump(mode="json") | {"fingerprint": plan.fingerprint}},
        )
    if not plan.changed and parent is None:
        return _under_way(action.lock(data), fingerprint) or Submission(plan, None, changed=False)

    if parent is None:
        look_first.require(principal, action, plan, plan_fingerprint)

    subject_type, subject = action.subject(data)
    at = clock.now()
    asks = approval.because(action, plan, principal) if parent is None else ""
    operation = Operation(
        kind=action.kind,
        title=action.title,
        subject_type=subject_type,
        subject=subject,
        cluster=cluster,
        input=data.model_dump(mode="json"),
        request_fingerprint=fingerprint,
        idempotency_key=idempotency_key,
        actor=principal.user if principal.user is not None and principal.user.pk else None,
        token_name=parent.token_name if parent is not None else (principal.token.name if principal.token is not None else ""),
        channel=Channel(channel),
        agent=parent.agent if parent is not None else principal.agent,
        reason=reason,
        asks_because=asks,
        added_cost_per_hour=approval.added_cost(plan),
        plan=plan.model_dump(mode="json"),
        plan_fingerprint=plan.fingerprint,
        parent=parent,
        parent_step=parent_step,
        state=OperationState.AWAITING_APPROVAL if asks else OperationState.RECORDED,
        lock_key=_free_of_ancestors(action.lock(data), parent),
        waiting_for=approval.waits_for(action.permission, at) if asks else "Waits for a worker.",
        next_attempt_at=None if asks else at,
        created_at=at,
    )
    points.reach("submit.before")
    try:
        with transaction.atomic():
            if operation.agent and parent is None:
                rules.refuse_while_stopped(rules.locked(), action.title)
            if principal.token is not None and parent is None:
                limits.spend(principal.token, operation.pk, approval.counted_cost(action, plan), at)
            _record(operation, action, data)
            if parent is None:
                trail.accepted(operation, principal)
    except IntegrityError:
        # Told apart only now: looking first and inserting after would let two requests through.
        if (twin := _twin(operation, plan)) is not None:
            return twin
        raise
    points.reach("submit.committed")
    log.info("operation_recorded", operation=str(operation.pk), kind=action.kind, subject=subject, state=operation.state)
    return Submission(plan, operation, changed=True)


def parse(action: Action[Any], raw_input: Mapping[str, Any]) -> BaseModel:
    """The typed input. Raises Problem 422 `invalid_input` that names each field, the reason and the fix."""
    try:
        return action.Input.model_validate(dict(raw_input))
    except ValidationError as error:
        raise Problem(
            422,
            "invalid_input",
            "Invalid input",
            f"{action.title}: the input has {error.error_count()} {'error' if error.error_count() == 1 else 'errors'}.",
            "Correct the fields named under errors.",
            errors=field_errors(error, action.Input),
        ) from None


def request_fingerprint(kind: str, data: BaseModel) -> str:
    """The same for two requests that ask for the same."""
    canonical = json.dumps([kind, data.model_dump(mode="json")], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _action(kind: str) -> Action[Any]:
    try:
        return actions.find(kind)
    except KeyError:
        raise Problem(404, "unknown_action", "Unknown action", f"There is no action {kind!r}.", "See the API's schema.") from None


def plan_has_errors(plan: Plan) -> Problem:
    return Problem(
        422,
        "plan_has_errors",
        "Plan has errors",
        plan.errors[0].detail if len(plan.errors) == 1 else f"{len(plan.errors)} checks failed; the first: {plan.errors[0].detail}",
        plan.errors[0].fix or "Correct what the checks name and plan again.",
        errors=[FieldError(check.field, check.code, check.detail, check.fix) for check in plan.errors],
        extra={"plan": plan.model_dump(mode="json") | {"fingerprint": plan.fingerprint}},
    )


def _record(operation: Operation, action: Action[Any], data: BaseModel) -> None:
    operation.save(force_insert=True)
    action.guard(data)
    action.record(data, operation)
    operation.steps = listed_steps([], action.steps(operation))
    operation.save(update_fields=["steps"])
    who = "an agent" if operation.state == OperationState.AWAITING_APPROVAL else operation.get_channel_display()
    events.note(operation, "recorded", f"{operation.title} ({operation.subject}), asked by {who}.")
    if operation.state == OperationState.AWAITING_APPROVAL:
        approvals.asked(operation, action.permission)
    events.publish_operation(operation)
    if operation.state == OperationState.RECORDED:
        transaction.on_commit(partial(dispatch.hint, operation.pk), robust=False)


def _under_way(lock: str, fingerprint: str) -> Submission | None:
    """What is at work on the subject already: where nothing differs now, something may by its end. Its own repetition finds it."""
    holder = Operation.objects.filter(lock_key=lock, state__in=DUE_STATES).first() if lock else None
    if holder is None:
        return None
    if holder.request_fingerprint != fingerprint:
        raise in_progress(holder)
    return Submission(Plan.model_validate(holder.plan), holder, changed=True, repeated=True)


def _free_of_ancestors(lock: str, parent: Operation | None) -> str:
    """The lock, unless an operation that this one is part of holds it already."""
    ancestor = parent
    while ancestor is not None:
        if ancestor.lock_key == lock:
            return ""
        ancestor = ancestor.parent
    return lock


def _earlier(principal: Principal, key: str, fingerprint: str) -> Submission | None:
    earlier = Operation.objects.filter(actor=principal.user, idempotency_key=key).first()
    if earlier is None:
        return None
    if earlier.request_fingerprint != fingerprint:
        raise Problem(
            422,
            "idempotency_key_reused",
            "Idempotency key reused",
            "This idempotency key came before with another request.",
            "Take a new key for a new request.",
            extra={"operation": str(earlier.pk)},
        )
    return Submission(Plan.model_validate(earlier.plan), earlier, changed=True, repeated=True)


def _twin(operation: Operation, plan: Plan) -> Submission | None:
    """The operation whose row kept ours out: the same child or request made twice; or a Problem when it is another's."""
    if operation.parent_id is not None:
        child = Operation.objects.filter(parent_id=operation.parent_id, parent_step=operation.parent_step).first()
        if child is not None:
            return Submission(plan, child, changed=True, repeated=True)
    if operation.idempotency_key is not None:
        same = Operation.objects.filter(actor=operation.actor, idempotency_key=operation.idempotency_key).first()
        if same is not None:
            if same.request_fingerprint == operation.request_fingerprint:
                return Submission(Plan.model_validate(same.plan), same, changed=True, repeated=True)
            raise Problem(
                422,
                "idempotency_key_reused",
                "Idempotency key reused",
                "This idempotency key came before with another request.",
                "Take a new key for a new request.",
                extra={"operation": str(same.pk)},
            )
    if operation.lock_key:
        holder = Operation.objects.filter(lock_key=operation.lock_key, state__in=LOCKING_STATES).first()
        if holder is not None:
            raise in_progress(holder)
    return None
