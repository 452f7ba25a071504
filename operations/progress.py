"""The list of steps that an operation shows: which are done, which runs, since when."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from operations.step import Step

StepProgress = Literal["waiting", "running", "ready", "failed", "cancelled", "unknown"]

Row = dict[str, Any]


def listed_steps(rows: list[Row], steps: Iterable[Step]) -> list[Row]:
    """The rows of these steps, in their order, with what is known of them already."""
    known = {row["name"]: row for row in rows}
    return [
        known.get(step.name)
        or {
            "name": step.name,
            "title": step.title,
            "typical_seconds": step.typical_seconds,
            "state": "waiting",
            "started_at": None,
            "ended_at": None,
            "message": "",
        }
        for step in steps
    ]


def done(rows: list[Row]) -> frozenset[str]:
    """Names of the steps that are ready."""
    return frozenset(row["name"] for row in rows if row["state"] == "ready")


def moved(rows: list[Row], name: str, state: StepProgress, message: str, at: datetime) -> list[Row]:
    """The rows after a step moved to that state."""
    return [_moved(row, state, message, at) if row["name"] == name else row for row in rows]


def _moved(row: Row, state: StepProgress, message: str, at: datetime) -> Row:
    over = state != "running"
    return row | {
        "state": state,
        "message": message,
        "started_at": row["started_at"] or at.isoformat(),
        "ended_at": at.isoformat() if over else None,
    }
