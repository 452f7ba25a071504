"""Why an operation can't begin while another one holds what it would change."""

from __future__ import annotations

from instantstart.problem import Problem
from operations.choices import OperationState
from operations.models import Operation

_WAYS_OUT = {
    OperationState.AWAITING_APPROVAL: "Approve or refuse it.",
    OperationState.UNKNOWN: "Say how it ended, then try again.",
}


def in_progress(other: Operation, on: str = "") -> Problem:
    """409 operation_in_progress (extra: operation). on: what both would change, "" where the subject says it."""
    what = f"{other.title} ({other.subject}){f', on {on},' if on else ''}"
    return Problem(
        409,
        "operation_in_progress",
        "Operation in progress",
        f"{what} is {OperationState(other.state).label.lower()} since {other.created_at:%Y-%m-%d %H:%M:%S} UTC; one change at a time.",
        _WAYS_OUT.get(OperationState(other.state), "Wait for it to end, or cancel it."),
        extra={"operation": str(other.pk)},
    )
