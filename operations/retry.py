"""Trying again what failed."""

from __future__ import annotations

from accounts.principal import Principal
from instantstart.problem import Problem
from operations import action as actions
from operations.choices import OperationState
from operations.models import Operation
from operations.submission import Submission
from operations.submit import submit

RETRIABLE = (OperationState.FAILED, OperationState.CANCELLED, OperationState.EXPIRED)


def retry(
    operation: Operation,
    principal: Principal,
    channel: str,
    *,
    idempotency_key: str | None = None,
    dry_run: bool = False,
    plan_fingerprint: str | None = None,
    reason: str = "",
) -> Submission:
    """Submits what the operation's action says tries it again: a new operation, which observes what is there and goes on.

    Raises Problem 409 not_retriable, and what submit raises.
    """
    if operation.state not in RETRIABLE:
        raise Problem(
            409,
            "not_retriable",
            "Not retriable",
            f"The operation is {OperationState(operation.state).label.lower()}; only failed, cancelled and expired ones are tried again.",
            "Wait for it to end, or submit the change anew.",
            extra={"operation": str(operation.pk)},
        )
    kind, raw_input = actions.find(operation.kind).retry(operation)
    return submit(
        kind,
        raw_input,
        principal,
        channel=channel,
        idempotency_key=idempotency_key,
        dry_run=dry_run,
        plan_fingerprint=plan_fingerprint,
        reason=reason,
    )
