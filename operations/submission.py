"""What submitting came to."""

from __future__ import annotations

from dataclasses import dataclass

from operations.models import Operation
from operations.plan import Plan


@dataclass(frozen=True)
class Submission:
    """changed False: the plan has no differences and nothing was recorded. operation is None then and on a dry run.

    repeated: the same request came before under this idempotency key; `operation` is the one it made.
    """

    plan: Plan
    operation: Operation | None
    changed: bool
    repeated: bool = False
