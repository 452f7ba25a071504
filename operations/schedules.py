"""Hourly and daily work of django-q2; whatever is faster is driven by the dispatcher."""

from __future__ import annotations

from datetime import timedelta

import structlog
from django.db import DatabaseError, connection

from operations import clock

log = structlog.get_logger(__name__)

HOURLY = {
    "accounts.prune_hourly": "accounts.retention.prune_hourly",
    "operations.prune_hourly": "operations.tasks.prune_hourly",
    "clusters.quotas_hourly": "clusters.quotas.schedule.hourly",
    "clusters.drift_hourly": "clusters.drift.sweep.hourly",
    "clusters.orphans_hourly": "clusters.orphans.sweep.hourly",
}
DAILY = {
    "accounts.prune_daily": "accounts.retention.prune_daily",
    "operations.prune_daily": "operations.tasks.prune_daily",
    "clusters.prices_daily": "clusters.prices.refresh.daily",
}
"""Name of the schedule: path of the function."""


def ensure_schedules() -> None:
    """Creates the schedules that are missing. Safe to call again."""
    from django_q.models import Schedule

    if Schedule._meta.db_table not in connection.introspection.table_names():
        return
    first = clock.now() + timedelta(minutes=10)
    wanted = [(name, path, Schedule.HOURLY) for name, path in HOURLY.items()] + [
        (name, path, Schedule.DAILY) for name, path in DAILY.items()
    ]
    for name, path, every in wanted:
        try:
            Schedule.objects.get_or_create(name=name, defaults={"func": path, "schedule_type": every, "next_run": first})
        except DatabaseError as error:
            log.warning("schedule_not_made", schedule=name, error=str(error))
            return
