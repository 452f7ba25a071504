"""Status events: each is read once, in order, and none is missed."""

from __future__ import annotations

import pytest
from django.db import connection

from operations.events import Tailer, latest_id, publish, tail
from operations.models import StatusEvent
from operations.tests.conftest import DrivenClock

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


def kinds(rows: list[StatusEvent]) -> list[str]:
    return [row.kind for row in rows]


def late(pk: int, kind: str) -> None:
    """An event whose id was drawn before and which is committed only now."""
    StatusEvent.objects.create(pk=pk, topic="t", kind=kind, payload={}, at="2026-12-01T00:00:00Z")


def test_events_are_told_after_an_id_in_order() -> None:
    first = publish("cluster:demo", "phase", {"state": "ready"})
    publish("clusters", "list", {})
    assert kinds(tail(first.pk - 1)) == ["phase", "list"]
    assert kinds(tail(first.pk)) == ["list"]
    assert tail(latest_id()) == []
    assert StatusEvent.objects.get(pk=first.pk).payload == {"state": "ready"}


def test_a_tailer_gives_what_is_new_once() -> None:
    publish("t", "old", {})
    tailer = Tailer()
    assert tailer.read() == []
    publish("t", "one", {})
    publish("t", "two", {})
    assert kinds(tailer.read()) == ["one", "two"]
    assert tailer.read() == []


def test_an_event_that_commits_after_one_with_a_higher_id_is_not_missed(driven_clock: DrivenClock) -> None:
    floor = latest_id()
    tailer = Tailer(floor)
    late(floor + 2, "second")
    assert kinds(tailer.read()) == ["second"]
    driven_clock.forward(4)
    assert tailer.read() == []
    late(floor + 1, "first")
    assert kinds(tailer.read()) == ["first"]
    late(floor + 3, "third")
    assert kinds(tailer.read()) == ["third"]


def test_an_id_that_never_comes_holds_nobody_up(driven_clock: DrivenClock) -> None:
    floor = latest_id()
    tailer = Tailer(floor)
    late(floor + 2, "second")
    tailer.read()
    driven_clock.forward(6)
    assert tailer.read() == []
    late(floor + 3, "third")
    assert kinds(tailer.read()) == ["third"]
    assert len(tailer._given) == 0, "what was given is forgotten once the floor has passed it"


def test_tailing_is_one_read_by_primary_key() -> None:
    rows = StatusEvent.objects.filter(id__gt=0).order_by("id")[:500].explain()
    assert "PRIMARY KEY" in rows if connection.vendor == "sqlite" else "_pkey" in rows or "Seq Scan" in rows
