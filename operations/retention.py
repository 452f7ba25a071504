"""Nothing grows without bound: what has ended is kept for a time, then goes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from operations import clock
from operations.models import Alert, Delivery, Heartbeat, Notification, Operation, ShownPlan, StatusEvent

BATCH = 500
STATUS_EVENT_HOURS = 24
HEARTBEAT_HOURS = 24


def prune_operations() -> int:
    """Deletes operations that ended RETENTION_DAYS ago, with their history, intents and notifications.

    Only whole families go: a parent with its children, once the parent's own time is up.
    """
    before = clock.now() - timedelta(days=settings.RETENTION_DAYS)
    return _delete_in_batches(Operation.objects.filter(ended_at__lt=before, parent=None))


def prune_status_events() -> int:
    """Deletes status events that every page has long had."""
    return _delete_in_batches(StatusEvent.objects.filter(at__lt=clock.now() - timedelta(hours=STATUS_EVENT_HOURS)))


def prune_shown_plans() -> int:
    """Deletes what says which plans agents have seen, once that no longer counts."""
    return _delete_in_batches(ShownPlan.objects.filter(at__lt=clock.now() - timedelta(hours=1)))


def prune_notifications() -> int:
    """Deletes notifications that are older than operations are kept."""
    return _delete_in_batches(Notification.objects.filter(created_at__lt=clock.now() - timedelta(days=settings.RETENTION_DAYS)))


def prune_alerts() -> int:
    """Deletes alerts that were closed, and messages that were delivered or given up, before operations' time is up; open ones stay."""
    before = clock.now() - timedelta(days=settings.RETENTION_DAYS)
    _delete_in_batches(Delivery.objects.exclude(Delivery.drivable()).filter(created_at__lt=before))
    return _delete_in_batches(Alert.objects.filter(closed_at__lt=before))


def prune_heartbeats() -> int:
    """Deletes what dead dispatchers left."""
    return _delete_in_batches(Heartbeat.objects.filter(at__lt=clock.now() - timedelta(hours=HEARTBEAT_HOURS)))


def _delete_in_batches(rows: QuerySet[Any]) -> int:
    """Short transactions: one batch each. The number of rows of this kind."""
    total = 0
    while True:
        keys = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
        if not keys:
            return total
        rows.model._default_manager.filter(pk__in=keys).delete()
        total += len(keys)
