"""The small process that leases what is due and enqueues it; any number may run beside each other."""

from __future__ import annotations

import os
import socket
import threading
import time
from dataclasses import dataclass, field

import structlog
from django.conf import settings
from django.db import DatabaseError, close_old_connections

from operations import clock, dispatch
from operations.approve import expire_approvals
from operations.models import Delivery, Heartbeat, ObservedSource, Operation
from operations.models.leased import OFFERED, Leased
from operations.reaper import reap

log = structlog.get_logger(__name__)

REAP_SECONDS = 1.0
HEARTBEAT_SECONDS = 5.0


@dataclass(frozen=True)
class Tick:
    """How many rows one tick offered and took back."""

    operations: int
    sources: int
    reaped: int
    deliveries: int = 0


@dataclass
class Dispatcher:
    """room: how many offered rows may wait in the queue at a time, so that none waits there longer than its offer lasts."""

    name: str = field(default_factory=lambda: f"dispatcher:{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}")
    room: int = field(default_factory=lambda: max(4, 4 * int(settings.WORKERS)))
    _reaped_at: float = field(default=float("-inf"), repr=False)
    _beat_at: float = field(default=float("-inf"), repr=False)

    def tick(self, *, sources: bool = True) -> Tick:
        """Offers what is due, oldest first: operations, sources, messages to webhooks. An indexed read for each when nothing is."""
        at = time.monotonic()
        reaped = 0
        if at - self._reaped_at >= REAP_SECONDS:
            self._reaped_at = at
            reaped = reap() + expire_approvals()
        if at - self._beat_at >= HEARTBEAT_SECONDS:
            self._beat_at = at
            Heartbeat.objects.update_or_create(name=self.name, defaults={"at": clock.now()})
        return Tick(self._offer(Operation), self._offer(ObservedSource) if sources else 0, reaped, self._offer_deliveries())

    def reap_at_next_tick(self) -> None:
        """Does not wait for REAP_SECONDS to pass."""
        self._reaped_at = float("-inf")

    def _offer(self, model: type[Leased]) -> int:
        due = list(
            model._default_manager.filter(model.due(clock.now())).order_by(model.due_field).values_list("pk", "fencing_token")[: self.room]
        )
        if not due:
            return 0
        room = self.room - model._default_manager.filter(lease_owner=OFFERED).count()
        return sum(dispatch.dispatch(model, pk, token) for pk, token in due[: max(room, 0)])

    def _offer_deliveries(self) -> int:
        """Never more under way than half of the workers: receivers that answer slowly must not keep operations waiting."""
        due = list(Delivery.objects.filter(Delivery.due(clock.now())).order_by("next_attempt_at").values_list("pk", "fencing_token")[:4])
        if not due:
            return 0
        room = max(1, int(settings.WORKERS) // 2) - Delivery.objects.exclude(lease_owner="").count()
        return sum(dispatch.dispatch(Delivery, pk, token) for pk, token in due[: max(room, 0)])

    def run(self, stop: threading.Event) -> None:
        """Ticks until `stop` is set. A database that is away for a while is waited for."""
        log.info("dispatcher_started", dispatcher=self.name)
        while not stop.is_set():
            try:
                tick = self.tick()
            except DatabaseError as error:
                log.warning("dispatcher_database_error", error=str(error))
                close_old_connections()
                stop.wait(1.0)
                continue
            busy = tick.operations or tick.sources or tick.deliveries
            stop.wait(float(settings.DISPATCH_INTERVAL) / (4 if busy else 1))
        try:
            Heartbeat.objects.filter(name=self.name).delete()
        except DatabaseError as error:
            log.warning("dispatcher_database_error", error=str(error))
        log.info("dispatcher_stopped", dispatcher=self.name)
