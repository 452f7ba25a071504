"""Driving operations on clusters in this process, against the sandbox."""

from __future__ import annotations

from typing import Any

from accounts.models import User
from accounts.principals import principal_for
from clusters.tests.sandbox import Sandbox
from operations.driver import drive
from operations.models import Operation
from operations.submit import submit


def begin(who: User, kind: str, **raw: Any) -> Operation:
    """Submits the action; the operation it made."""
    submission = submit(kind, raw, principal_for(who), channel="api")
    assert submission.operation is not None, submission.plan
    return submission.operation


def run(sandbox: Sandbox, who: User, kind: str, **raw: Any) -> Operation:
    """Submits the action and drives it to its end, while the sandbox's time jumps where nothing is due."""
    operation = begin(who, kind, **raw)
    drive(operation, max_ticks=3000, on_idle=lambda: sandbox.forward("next"))
    operation.refresh_from_db()
    return operation


def failure(operation: Operation) -> str:
    return f"{operation.state} at {operation.step}: {operation.error_code}: {operation.error_message} {operation.error_hint}"
