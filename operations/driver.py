"""Drives operations and sources in this process, without q2: for tests, and for commands that wait."""

from __future__ import annotations

import importlib
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import F

from operations import clock, intents, queue
from operations.dispatcher import Dispatcher
from operations.models import Delivery, Intent, ObservedSource, Operation
from operations.models.intent import IntentOutcome
from operations.models.leased import OFFERED

Predicate = Callable[[], bool]


class DriverStalled(AssertionError):
    """The driver ran its ticks and what it should bring about has not come."""


def drive(
    until: Operation | Predicate | None = None,
    max_ticks: int = 500,
    on_idle: Callable[[], Any] | None = None,
    *,
    sources: bool = True,
    pass_time: bool = True,
) -> int:
    """Runs the dispatcher's ticks and their tasks inline until `until` holds; the number of ticks it took.

    until: an operation that should end (or halt as unknown), or a condition; None: until nothing is left that could run.
    on_idle: called when nothing is due; a test fast-forwards the sandbox there. pass_time: when nothing is due, make due
    what waits, as if that time had passed, leases of dead workers included; so only where no other driver lives.
    sources: whether observed sources are looked at too. Raises DriverStalled after max_ticks.
    """
    condition = _condition(until)
    dispatcher = Dispatcher(name="driver")
    for tick in range(max_ticks):
        if condition():
            return tick
        if work(dispatcher, sources) == 0:
            if on_idle is not None:
                on_idle()
            if pass_time:
                let_time_pass(sources=sources)
    if condition():
        return max_ticks
    raise DriverStalled(f"not there after {max_ticks} ticks; {_state_of_affairs()}")


def let_time_pass(*, sources: bool = True) -> None:
    """Moves every appointment to now: next attempts, next looks, ends of leases, windows of patience."""
    at = clock.now()
    past = at - timedelta(days=1)
    Operation.objects.exclude(lease_owner="").update(lease_expires_at=past)
    Operation.objects.filter(next_attempt_at__gt=at).update(next_attempt_at=at)
    settled = at - timedelta(seconds=intents.SETTLE_SECONDS)
    Intent.objects.filter(ended_at__gt=settled).update(ended_at=settled)
    Intent.objects.filter(outcome=IntentOutcome.UNKNOWN, ended_at__gt=past).update(ended_at=past)
    if sources:
        ObservedSource.objects.exclude(lease_owner="").update(lease_expires_at=past)
        ObservedSource.objects.filter(next_due_at__gt=at).update(next_due_at=at)


def work(dispatcher: Dispatcher, sources: bool = True) -> int:
    """One tick of the dispatcher and its tasks, inline; no time passes. How many tasks ran."""
    # An offer made by a request's hint sits in a queue that nobody reads here: take it back, its task is void.
    for model in (Operation, ObservedSource, Delivery):
        model._default_manager.filter(lease_owner=OFFERED).update(
            lease_owner="", lease_expires_at=None, fencing_token=F("fencing_token") + 1
        )
    tasks: deque[tuple[str, tuple[Any, ...]]] = deque()
    dispatcher.reap_at_next_tick()  # time passes in jumps here
    with queue.using(lambda path, *args: tasks.append((path, args))):
        dispatcher.tick(sources=sources)
        ran = 0
        while tasks:
            path, args = tasks.popleft()
            module, _, name = path.rpartition(".")
            getattr(importlib.import_module(module), name)(*args)
            ran += 1
    return ran


def _condition(until: Operation | Predicate | None) -> Predicate:
    if until is None:
        return lambda: not Operation.objects.filter(Operation.drivable()).exists()
    if isinstance(until, Operation):
        pk = until.pk
        return lambda: not Operation.objects.filter(Operation.drivable(), pk=pk).exists()
    return until


def _state_of_affairs() -> str:
    running = Operation.objects.filter(Operation.drivable()).order_by("created_at")
    return (
        "; ".join(f"{row.title} ({row.subject}) {row.state} at {row.step}: {row.waiting_for or row.message}" for row in running)
        or "nothing runs"
    )
