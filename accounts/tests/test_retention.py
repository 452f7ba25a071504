"""What accounts keep goes when its time is up, not before."""

from __future__ import annotations

import datetime as dt

import time_machine
from django.conf import settings
from django.utils import timezone

from accounts import retention
from accounts.models import ApiToken, AuditEntry, SignInAttempt
from instantstart.models import IdempotencyRecord


def test_each_kind_of_row_is_kept_for_its_own_time(operator, make_token):
    start = timezone.now()
    make_token(operator, expires_in=dt.timedelta(days=1))
    SignInAttempt.objects.create(username="x", at=start)
    IdempotencyRecord.objects.create(scope="s", key="k", fingerprint="f", owner="o", expires_at=start)
    trail = AuditEntry.objects.count()

    def left(after: dt.timedelta) -> tuple[int, int, int, int]:
        with time_machine.travel(start + after, tick=False):
            retention.prune_hourly()
            retention.prune_daily()
        return (SignInAttempt.objects.count(), IdempotencyRecord.objects.count(), ApiToken.objects.count(), AuditEntry.objects.count())

    assert left(dt.timedelta(minutes=14)) == (1, 1, 1, trail)
    assert left(dt.timedelta(minutes=16)) == (0, 1, 1, trail)
    assert left(dt.timedelta(hours=47)) == (0, 1, 1, trail)
    assert left(dt.timedelta(hours=49)) == (0, 0, 1, trail)
    assert left(dt.timedelta(days=32)) == (0, 0, 0, trail)
    assert left(dt.timedelta(days=settings.RETENTION_DAYS + 1)) == (0, 0, 0, 0)


def test_answers_are_kept_a_day_even_when_the_setting_is_shorter(db, settings):
    settings.IDEMPOTENCY_HOURS = 1
    IdempotencyRecord.objects.create(scope="s", key="k", fingerprint="f", owner="o", expires_at=timezone.now())
    with time_machine.travel(timezone.now() + dt.timedelta(hours=23)):
        assert retention.prune_hourly() == 0
