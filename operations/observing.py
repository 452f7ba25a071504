"""Looking at what is outside, again and again: each source is a due row, leased by the dispatcher as operations are."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import ClassVar

import structlog
from django.db import transaction
from django.db.models import Q

from operations import clock, errors, leases
from operations.leases import LeaseLost
from operations.models import ObservedSource
from operations.models.observed_source import Pace
from operations.pace import Calls, stretched_interval
from operations.step import Fault

__all__ = [
    "Calls",
    "Observer",
    "Pace",
    "ensure_source",
    "forget_source",
    "observe",
    "poke",
    "poke_cluster",
    "register_observer",
    "writing",
]

log = structlog.get_logger(__name__)

JITTER = 0.25
"""Share of the interval by which two looks may come early or late, so that sources drift apart."""


class Observer(ABC):
    """Reads one kind of source and writes the observed rows. Stateless.

    calls: how many calls one observation makes; the sum over all sources against the rate limit says how far intervals
    must stretch, and what may wait for another look.
    """

    kind: ClassVar[str]
    calls: ClassVar[Calls] = Calls()

    @abstractmethod
    def observe(self, key: str) -> Pace:
        """Reads outside (no transaction open), then writes rows inside `writing()`. GONE: the source is not looked at any more.

        Raises CloudError, KubeError or HelmError when it can't be read.
        """

    def unreadable(self, key: str, fault: Fault, since: datetime, failures: int) -> None:  # noqa: B027  (need not be overridden)
        """The source could not be read, for the `failures`-th time in a row since `since`: rows become Unknown here, inside `writing()`."""


_lease: ContextVar[leases.Lease | None] = ContextVar("lease of the look", default=None)
"""What gives the look under way the right to write; None outside of one."""


@contextmanager
def writing() -> Iterator[None]:
    """The transaction in which an observer writes what it saw. Raises LeaseLost at its end, and nothing is written, when another
    worker has taken the source over meanwhile: what that one saw is newer."""
    lease = _lease.get()
    with transaction.atomic():
        yield
        # Last, as wherever rows and their source are written together: one order of locks.
        if lease is not None and not ObservedSource.objects.select_for_update().filter(lease.held()).exists():
            raise LeaseLost


_observers: dict[str, Observer] = {}


def register_observer(observer: type[Observer]) -> type[Observer]:
    """Class decorator: makes the observer known by its kind. Apps import their observers in AppConfig.ready()."""
    if observer.kind in _observers:
        raise RuntimeError(f"two observers of kind {observer.kind}")
    _observers[observer.kind] = observer()
    return observer


def find_observer(kind: str) -> Observer:
    """The observer of that kind. KeyError when there is none."""
    return _observers[kind]


def observer_calls() -> dict[str, Calls]:
    return {kind: observer.calls for kind, observer in _observers.items()}


def ensure_source(kind: str, key: str, cluster: str = "", scope: str = "") -> None:
    """Makes sure that the source is looked at, from now on. Safe to call again; fits into a transaction."""
    at = clock.now()
    ObservedSource.objects.get_or_create(
        kind=kind,
        key=key,
        defaults={
            "cluster": cluster,
            "scope": scope,
            "interval": stretched_interval(Pace.TRANSITION, scope),
            "next_due_at": at,
            "created_at": at,
        },
    )


def forget_source(kind: str, key: str) -> None:
    """Stops looking at it."""
    ObservedSource.objects.filter(kind=kind, key=key).delete()


def poke(kind: str, key: str) -> bool:
    """Makes the source due now; one that is just being read is read once more. False: there is no such source."""
    return bool(leases.poke(ObservedSource, Q(kind=kind, key=key)))


def poke_cluster(cluster: str) -> int:
    """Makes all sources of a cluster due now: something of it has just changed."""
    return leases.poke(ObservedSource, Q(cluster=cluster)) if cluster else 0


def observe(source_id: int, fencing_token: int) -> None:
    """Task: one look at one source, if the token is still good. Delivered again it does nothing."""
    lease = leases.claim(ObservedSource, source_id, fencing_token)
    if lease is None:
        return
    source = ObservedSource.objects.filter(lease.held()).first()
    if source is None:
        return
    with structlog.contextvars.bound_contextvars(observer=source.kind, key=source.key, cluster=source.cluster):
        token = _lease.set(lease)
        try:
            _look(lease, source)
        except LeaseLost:
            log.info("observation_overtaken")
        finally:
            _lease.reset(token)


def _look(lease: leases.Lease, source: ObservedSource) -> None:
    observer = _observers.get(source.kind)
    if observer is None:
        # A row of another release: keep it (the next release may know it), but don't come back every second.
        leases.leave(lease, clock.now() + timedelta(hours=1), source.pokes, last_error_code="no_observer")
        return
    try:
        pace = observer.observe(source.key)
    except LeaseLost:
        raise
    except Exception as error:  # noqa: BLE001  (whatever stops a look, a bug included, must be shown as Unknown, never as the last state)
        _failed(lease, source, observer, error)
        return
    if pace == Pace.GONE:
        ObservedSource.objects.filter(lease.held()).delete()
        return
    at = clock.now()
    interval = stretched_interval(pace, source.scope)
    leases.leave(
        lease,
        at + timedelta(seconds=jittered(interval)),
        source.pokes,
        even_if_expired=True,  # the look was taken; a slow one is no reason to forget it while nobody took over
        pace=pace,
        interval=interval,
        last_attempt_at=at,
        last_success_at=at,
        unreadable_since=None,
        failures=0,
        last_error_code="",
        last_error_message="",
    )


def _failed(lease: leases.Lease, source: ObservedSource, observer: Observer, error: Exception) -> None:
    fault = errors.classify(error)
    at = clock.now()
    since = source.unreadable_since or at
    failures = source.failures + 1
    log.warning("source_unreadable", code=fault.code, failures=failures, exc_info=errors.unforeseen(error))
    try:
        observer.unreadable(source.key, fault, since, failures)
    finally:
        # What can't be read is looked at as often as what changes: it must heal within two looks.
        interval = stretched_interval(Pace.TRANSITION, source.scope)
        leases.leave(
            lease,
            at + timedelta(seconds=jittered(interval)),
            source.pokes,
            even_if_expired=True,
            interval=interval,
            last_attempt_at=at,
            unreadable_since=since,
            failures=failures,
            last_error_code=fault.code,
            last_error_message=fault.message,
        )


def jittered(interval: float) -> float:
    return interval * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  (spreads load, keeps no secret)
