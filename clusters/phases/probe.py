"""What a phase's probe says, and how it becomes the state that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clusters.choices import Seen, State
from operations.choices import ACTIVE_STATES, OperationState
from operations.step import Fault

UNKNOWN_AFTER_FAILURES = 2
"""Readings in a row that must fail before the last known state gives way to `unknown`."""


@dataclass(frozen=True)
class ResourceSeen:
    """One resource in AWS's or Kubernetes' own words."""

    resource_type: str
    physical_id: str
    name: str = ""
    status: str = ""
    message: str = ""


@dataclass(frozen=True)
class PhaseObservation:
    """A reading of the world for one phase; made by reads only."""

    seen: Seen
    message: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    resources: tuple[ResourceSeen, ...] = ()
    faults: tuple[Fault, ...] = ()


def derive(seen: str, *, failures: int, made: bool, operation_state: str, removing: bool, imported: bool = False) -> State:
    """The state that is shown.

    seen: last reading ("" before the first). failures: readings in a row that failed since. made: whether it was ever
    seen ready. operation_state: of the last operation of the phase ("" when there was none). removing: whether that one
    takes the phase away. imported: whether the cluster was made elsewhere, so that what is not there
    need not come. Facts win over wishes: an operation only explains why something is not there, or not ready yet.
    """
    if failures >= UNKNOWN_AFTER_FAILURES:
        return State.UNKNOWN
    active = operation_state in ACTIVE_STATES
    by_reading = {Seen.READY: State.READY, Seen.DEGRADED: State.DEGRADED, Seen.DELETING: State.DELETING}.get(Seen(seen)) if seen else None
    if by_reading is not None:
        return by_reading
    if seen == Seen.ABSENT and (made or removing) and not active:
        return State.GONE
    if seen == Seen.ABSENT and imported and not active:
        return State.ABSENT
    if active:
        return State.RUNNING if not removing else (State.GONE if seen == Seen.ABSENT else State.DELETING)
    if operation_state == OperationState.UNKNOWN:
        return State.UNKNOWN
    if operation_state == OperationState.CANCELLED:
        return State.CANCELLED
    if seen == Seen.FAILED or operation_state in (OperationState.FAILED, OperationState.REFUSED, OperationState.EXPIRED):
        return State.FAILED
    return State.RUNNING if seen == Seen.CHANGING else State.PENDING


_WORST_FIRST = (State.DELETING, State.UNKNOWN, State.FAILED, State.RUNNING, State.CANCELLED, State.DEGRADED, State.GONE, State.PENDING)


def overall(states: list[State]) -> State:
    """The cluster's state: ready only when every phase is that there is to be; else what most needs attention."""
    if State.ABSENT in states and any(state not in (State.ABSENT, State.GONE) for state in states):
        states = [state for state in states if state is not State.ABSENT]
    if not states or all(state is State.PENDING for state in states):
        return State.PENDING
    if all(state in (State.GONE, State.ABSENT) for state in states):
        return State.GONE
    return next((state for state in _WORST_FIRST if state in states), State.READY)
