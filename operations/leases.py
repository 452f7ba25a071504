"""Who owns a row: leases with fencing tokens, by compare-and-set updates only.

A row goes free -> offered (enqueued by a dispatcher or a request) -> owned (claimed by a worker) -> free. Each change of
owner adds one to the fencing token, so a task delivered twice or late, and a worker that woke up too late, hold a token
that no longer matches and write nothing.
"""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Case, F, Q, Value, When

from operations import clock, points
from operations.models.leased import OFFERED, Leased

OFFER_SECONDS = 30.0
"""How long an enqueued row waits for a worker before it is offered again."""


class LeaseLost(Exception):
    """Another worker owns the row, or the lease has run out: nothing was written, and nothing more may be."""


class StateChanged(Exception):
    """The lease holds, but somebody moved the row on (a cancel): nothing was written; look again."""


@dataclass(frozen=True)
class Lease:
    """The right to write one row."""

    model: type[Leased]
    pk: Any
    token: int

    def held(self) -> Q:
        """The row, as long as nobody else has taken it."""
        return Q(pk=self.pk, fencing_token=self.token)


def seconds() -> float:
    """How long a claim or a write makes the lease last."""
    return float(settings.LEASE_SECONDS)


def expiry(at: datetime) -> datetime:
    return at + timedelta(seconds=seconds())


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"


def offer(model: type[Leased], pk: Any, fencing_token: int) -> int | None:
    """Takes a free, due row for a task to be enqueued. The token to enqueue, None when somebody was faster."""
    at = clock.now()
    taken = model._default_manager.filter(model.due(at), pk=pk, fencing_token=fencing_token).update(
        lease_owner=OFFERED, lease_expires_at=at + timedelta(seconds=OFFER_SECONDS), fencing_token=fencing_token + 1
    )
    return fencing_token + 1 if taken else None


def withdraw(model: type[Leased], pk: Any, offered_token: int) -> bool:
    """Frees a row that was offered and could not be enqueued, or that no worker took."""
    return bool(
        model._default_manager.filter(pk=pk, fencing_token=offered_token, lease_owner=OFFERED).update(
            lease_owner="", lease_expires_at=None, fencing_token=offered_token + 1
        )
    )


def claim(model: type[Leased], pk: Any, offered_token: int) -> Lease | None:
    """Makes this worker the owner of an offered row. None for a task delivered again, late, or for a row that moved on."""
    points.reach("claim.before")
    taken = model._default_manager.filter(model.drivable(), pk=pk, fencing_token=offered_token, lease_owner=OFFERED).update(
        lease_owner=worker_name(), lease_expires_at=expiry(clock.now()), fencing_token=offered_token + 1
    )
    if not taken:
        return None
    points.reach("claim.committed")
    return Lease(model, pk, offered_token + 1)


def write(lease: Lease, *, where: Q | None = None, even_if_expired: bool = False, **fields: Any) -> None:
    """Writes fields of the owned row and renews the lease, if it is still owned.

    where: a further condition (StateChanged when only that fails).
    even_if_expired: for facts that stay true when the lease ran out while nobody took over (the outcome of a call).
    Raises LeaseLost or StateChanged; then nothing was written.
    """
    at = clock.now()
    owned = lease.held()
    if not even_if_expired:
        owned &= Q(lease_expires_at__gt=at)
    manager = lease.model._default_manager
    condition = owned if where is None else owned & where
    if manager.filter(condition).update(lease_expires_at=expiry(at), **fields):
        return
    if where is not None and manager.filter(owned).exists():
        raise StateChanged
    raise LeaseLost


def leave(lease: Lease, due_at: datetime, pokes_seen: int, *, where: Q | None = None, even_if_expired: bool = False, **fields: Any) -> None:
    """Frees the row until `due_at`, or until now when it was poked since `pokes_seen`. Raises like `write`."""
    at = clock.now()
    due = Case(When(pokes=pokes_seen, then=Value(due_at)), default=Value(at))
    manager = lease.model._default_manager
    held = lease.held() if even_if_expired else lease.held() & Q(lease_expires_at__gt=at)
    condition = held if where is None else held & where
    if manager.filter(condition).update(**{**fields, lease.model.due_field: due, "lease_owner": "", "lease_expires_at": None}):
        return
    if where is not None and manager.filter(held).exists():
        raise StateChanged
    raise LeaseLost


def poke(model: type[Leased], which: Q) -> int:
    """Makes rows due now, also those that a worker is just looking at (they are looked at again). How many."""
    return model._default_manager.filter(model.drivable() & which).update(pokes=F("pokes") + 1, **{model.due_field: clock.now()})
