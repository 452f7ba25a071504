"""The moments at which a driver can die: kill-anywhere tests replace `reach` by a function that raises a BaseException.

".before" is the moment before something is committed or sent, ".committed"/".after" the moment after.
"""

from __future__ import annotations

POINTS: tuple[str, ...] = (
    "submit.before",
    "submit.committed",
    "offer.before",
    "offer.committed",
    "offer.enqueued",
    "claim.before",
    "claim.committed",
    "start.before",
    "start.committed",
    "observe.before",
    "observe.after",
    "intent.before",
    "intent.committed",
    "call.before",
    "call.after",
    "outcome.committed",
    "settle.before",
    "settle.committed",
    "step.before",
    "step.committed",
    "leave.before",
    "leave.committed",
    "end.before",
    "end.committed",
)
"""All of them. A run without accidents reaches every one but those of AFTER_A_CRASH."""

AFTER_A_CRASH: frozenset[str] = frozenset({"settle.before", "settle.committed"})
"""Reached only when an intent without an outcome is found: some driver died, or a reply was lost."""


def reach(point: str) -> None:
    """Does nothing. The engine calls it as `points.reach(...)` at each of POINTS."""
