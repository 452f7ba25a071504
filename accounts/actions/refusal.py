"""Refusals leave a trace too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from accounts import audit
from accounts.choices import AuditOutcome
from accounts.principal import Principal
from instantstart.problem import Problem


@contextmanager
def refuse(action: str, principal: Principal, channel: str, subject: str) -> Iterator[None]:
    """Write a Problem raised inside to the audit trail, once, and let it through."""
    try:
        yield
    except Problem as problem:
        problem.trail = {
            "action": action,
            "principal": principal,
            "channel": channel,
            "subject": subject,
            "outcome": AuditOutcome.REFUSED,
            "code": problem.code,
            "detail": problem.detail,
        }
        problem.audited = True
        audit.record(**problem.trail)
        raise
