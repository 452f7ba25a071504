"""Operations in the audit trail: who asked, who decided, what was refused; whichever door it came through."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Concatenate, ParamSpec, cast

from accounts import audit
from accounts.choices import AuditOutcome
from accounts.principal import Principal
from instantstart.problem import Problem
from operations.models import Operation

P = ParamSpec("P")
Decision = Callable[Concatenate[Operation, Principal, P], Operation]
_SLIPS = ("invalid_input", "unknown_action")
"""Refusals that tell of a typing error, not of somebody who may not."""


def accepted(operation: Operation, principal: Principal) -> None:
    """The operation is recorded; called in the transaction that records it."""
    subject = f"{operation.subject_type}:{operation.subject}"
    audit.record(operation.kind, principal=principal, channel=str(operation.channel), subject=subject, operation=operation.pk)


@contextmanager
def refusals(action: str, principal: Principal, subject: str, channel: str = "") -> Iterator[None]:
    """Writes a Problem raised inside down, outside any transaction of ours, and lets it through."""
    try:
        yield
    except Problem as problem:
        if not problem.audited and problem.code not in _SLIPS:
            audit.record(
                action,
                principal=principal,
                channel=channel,
                subject=subject,
                outcome=AuditOutcome.REFUSED,
                code=problem.code,
                detail=problem.detail,
            )
            problem.audited = True
        raise


def on_trail(action: str) -> Callable[[Decision[P]], Decision[P]]:
    """Decorator for what a person decides about an operation."""

    def decorate(decide: Decision[P]) -> Decision[P]:
        @functools.wraps(decide)
        def decided(operation: Operation, principal: Principal, *args: P.args, **kwargs: P.kwargs) -> Operation:
            subject = f"{operation.subject_type}:{operation.subject}"
            with refusals(action, principal, subject):
                after = decide(operation, principal, *args, **kwargs)
            audit.record(action, principal=principal, subject=subject, operation=operation.pk)
            return after

        return cast("Decision[P]", decided)

    return decorate
