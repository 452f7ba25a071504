"""Takes back what dead workers and lost tasks left, and lets old questions lapse."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db.models import F, Q

from operations import clock
from operations.models import Delivery, Intent, ObservedSource, Operation
from operations.models.leased import OFFERED, Leased

log = structlog.get_logger(__name__)


def reap() -> int:
    """Frees every row whose lease has run out, once no call of its last owner can be under way. How many."""
    at = clock.now()
    offers = _reap_offers(Operation, at) + _reap_offers(ObservedSource, at) + _reap_offers(Delivery, at)
    return offers + _reap_operations(at) + _reap_sources(at) + _reap_deliveries(at)


def _reap_offers(model: type[Leased], at: datetime) -> int:
    return model._default_manager.filter(lease_owner=OFFERED, lease_expires_at__lt=at).update(
        lease_owner="", lease_expires_at=None, fencing_token=F("fencing_token") + 1
    )


def _reap_sources(at: datetime) -> int:
    """Observers only read: their lease's end is enough."""
    return (
        ObservedSource.objects.exclude(lease_owner="")
        .filter(lease_expires_at__lt=at)
        .update(lease_owner="", lease_expires_at=None, fencing_token=F("fencing_token") + 1, next_due_at=at)
    )


def _reap_deliveries(at: datetime) -> int:
    """Nobody can tell whether the message arrived: it is sent again under the same id."""
    return (
        Delivery.objects.exclude(lease_owner__in=("", OFFERED))
        .filter(lease_expires_at__lt=at)
        .update(lease_owner="", lease_expires_at=None, fencing_token=F("fencing_token") + 1, next_attempt_at=at)
    )


def _reap_operations(at: datetime) -> int:
    freed = 0
    expired = Operation.objects.exclude(lease_owner__in=("", OFFERED)).filter(lease_expires_at__lt=at)
    for operation in expired.only("pk", "lease_owner", "lease_expires_at", "fencing_token", "state"):
        if operation.lease_expires_at is None or at < operation.lease_expires_at + _longest_call(operation):
            continue
        if Operation.objects.filter(
            Q(pk=operation.pk, fencing_token=operation.fencing_token, lease_expires_at=operation.lease_expires_at)
        ).update(lease_owner="", lease_expires_at=None, fencing_token=operation.fencing_token + 1, next_attempt_at=at):
            log.warning("lease_taken_back", operation=str(operation.pk), owner=operation.lease_owner)
            freed += 1
    return freed


def _longest_call(operation: Operation) -> timedelta:
    """How long a call that the last owner began just before its lease ended may still be under way."""
    seconds = Intent.objects.filter(operation=operation, ended_at=None).values_list("timeout_seconds", flat=True).first()
    return timedelta(seconds=seconds or 0.0)
