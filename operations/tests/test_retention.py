"""Nothing grows without bound."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils.module_loading import import_string

from accounts.principal import Principal
from operations import tasks
from operations.driver import drive
from operations.models import Event, Heartbeat, Intent, Notification, Operation, StatusEvent
from operations.schedules import DAILY, HOURLY, ensure_schedules
from operations.submit import submit
from operations.tests.conftest import DrivenClock

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]


def test_operations_go_with_all_that_is_theirs_when_their_time_is_up(begin: Begin, driven_clock: DrivenClock) -> None:
    drive(begin("fake.pipeline", things=["a", "b"]))
    driven_clock.forward(timedelta(days=179).total_seconds())
    assert tasks.prune_daily() == {"operations": 0, "notifications": 0, "heartbeats": 1, "alerts": 0, "accounts": 0}
    driven_clock.forward(timedelta(days=2).total_seconds())
    assert tasks.prune_daily()["operations"] == 1
    assert [model.objects.count() for model in (Operation, Intent, Event, Notification)] == [0, 0, 0, 0]  # type: ignore[attr-defined]


def test_what_has_not_ended_is_kept_however_old(begin: Begin, driven_clock: DrivenClock, as_operator: Principal) -> None:
    running = begin()
    ended = submit("fake.make", {"name": "other"}, as_operator, channel="api").operation
    drive(ended)
    Operation.objects.filter(pk=running.pk).update(state="running", ended_at=None)
    driven_clock.forward(timedelta(days=1000).total_seconds())
    assert tasks.prune_daily()["operations"] == 1
    assert Operation.objects.get() == running


def test_status_events_are_kept_for_a_day(begin: Begin, driven_clock: DrivenClock) -> None:
    begin()
    driven_clock.forward(23 * 3600)
    assert tasks.prune_hourly() == {"status_events": 0, "shown_plans": 0, "accounts": 0}
    driven_clock.forward(2 * 3600)
    assert tasks.prune_hourly() == {"status_events": 3, "shown_plans": 0, "accounts": 0}
    assert StatusEvent.objects.count() == 0


def test_pruning_goes_in_batches_until_all_is_gone(driven_clock: DrivenClock) -> None:
    at = driven_clock.at - timedelta(days=2)
    StatusEvent.objects.bulk_create(StatusEvent(topic="t", kind="k", at=at) for _ in range(1201))
    Heartbeat.objects.create(name="dead", at=at)
    assert tasks.prune_hourly() == {"status_events": 1201, "shown_plans": 0, "accounts": 0}
    assert tasks.prune_daily()["heartbeats"] == 1


def test_the_schedules_are_made_once() -> None:
    from django_q.models import Schedule

    ensure_schedules()
    ensure_schedules()
    rows = Schedule.objects.filter(name__in=[*HOURLY, *DAILY]).order_by("name")
    assert list(rows.values_list("name", "schedule_type")) == [
        ("accounts.prune_daily", Schedule.DAILY),
        ("accounts.prune_hourly", Schedule.HOURLY),
        ("clusters.drift_hourly", Schedule.HOURLY),
        ("clusters.orphans_hourly", Schedule.HOURLY),
        ("clusters.prices_daily", Schedule.DAILY),
        ("clusters.quotas_hourly", Schedule.HOURLY),
        ("operations.prune_daily", Schedule.DAILY),
        ("operations.prune_hourly", Schedule.HOURLY),
    ]
    assert all(callable(import_string(schedule.func)) for schedule in rows)
