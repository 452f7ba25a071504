"""Looks that anybody may ask for, at most once in a while."""

from __future__ import annotations

from datetime import timedelta

from operations import clock
from operations.choices import OperationState, Severity
from operations.models import Operation
from operations.plan import Check

AGAIN_AFTER = timedelta(seconds=30)
"""A look asked for again sooner finds what the last one found, and is not taken."""


def looked_just_now(kind: str, subject: str) -> Check | None:
    """The check that says so; None when the last such look is long enough ago."""
    last = (
        Operation.objects.filter(kind=kind, subject=subject, state=OperationState.SUCCEEDED, ended_at__gt=clock.now() - AGAIN_AFTER)
        .order_by("-ended_at")
        .values_list("ended_at", flat=True)
        .first()
    )
    if last is None:
        return None
    ago = max(0, round((clock.now() - last).total_seconds()))
    left = max(1, round(AGAIN_AFTER.total_seconds()) - ago)
    return Check(
        code="looked_just_now",
        severity=Severity.INFO,
        title="Look",
        detail=f"The last look ended {ago} s ago: what it found is shown.",
        fix=f"Ask again in {left} s.",
    )
