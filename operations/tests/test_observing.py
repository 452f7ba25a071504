"""Observed sources: how often they are looked at, and what is said of those that can't be read."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db.models import F

from operations import leases, observing, pace
from operations.dispatcher import Dispatcher
from operations.driver import drive, work
from operations.models import Heartbeat, ObservedSource
from operations.observing import Pace, ensure_source, poke_cluster
from operations.reaper import reap
from operations.tests import fakes
from operations.tests.conftest import DrivenClock
from operations.tests.world import Outside, OutsideError

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


def looked() -> ObservedSource:
    """The one source, after one tick."""
    work(Dispatcher(name="one"))
    return ObservedSource.objects.get()


def seconds_to_next(source: ObservedSource, at: datetime) -> float:
    return (source.next_due_at - at).total_seconds()


def test_what_changes_is_looked_at_more_often_than_what_rests(outside: Outside, driven_clock: DrivenClock, settings: object) -> None:
    outside.things["demo"] = 1
    ensure_source("fake.thing", "demo", "demo")
    source = looked()
    assert (source.pace, source.interval, source.last_success_at) == (Pace.TRANSITION, 12.0, driven_clock.at)
    assert 9 <= seconds_to_next(source, driven_clock.at) <= 15
    driven_clock.forward(15)
    source = looked()
    assert (source.pace, source.interval) == (Pace.STEADY, 90.0)
    assert 67.5 <= seconds_to_next(source, driven_clock.at) <= 112.5
    assert source.lease_owner == ""


def test_looks_drift_apart_by_a_quarter_of_the_interval_each_way() -> None:
    drawn = [observing.jittered(100) for _ in range(500)]
    assert 75 <= min(drawn) < 80
    assert 120 < max(drawn) <= 125


def test_what_is_gone_is_not_looked_at_any_more(outside: Outside) -> None:
    ensure_source("fake.thing", "demo", "demo")
    work(Dispatcher(name="one"))
    assert not ObservedSource.objects.exists()
    assert outside.reads == 1


def test_a_source_is_there_once(outside: Outside) -> None:
    ensure_source("fake.thing", "demo", "demo")
    ensure_source("fake.thing", "demo", "demo")
    assert ObservedSource.objects.count() == 1


def test_what_can_not_be_read_is_told_each_time_and_looked_at_at_the_pace_of_change(outside: Outside, driven_clock: DrivenClock) -> None:
    outside.things["demo"] = 0
    ensure_source("fake.thing", "demo", "demo")
    source = looked()
    assert source.interval == 90.0
    read_at = driven_clock.at
    outside.unreadable = [OutsideError("Unreachable", "refused", None, False), KeyError("a defect")]
    driven_clock.forward(120)
    failed_at = driven_clock.at
    source = looked()
    assert (source.failures, source.last_error_code, source.unreadable_since) == (1, "Unreachable", failed_at)
    assert (source.last_success_at, source.interval) == (read_at, 12.0)
    assert seconds_to_next(source, driven_clock.at) <= 15
    driven_clock.forward(15)
    source = looked()
    assert (source.failures, source.last_error_code, source.unreadable_since) == (2, "internal_error", failed_at)
    assert fakes.unreadable == [("demo", "Unreachable", 1), ("demo", "internal_error", 2)]
    driven_clock.forward(15)
    source = looked()
    assert (source.failures, source.last_error_code, source.unreadable_since, source.last_success_at) == (0, "", None, driven_clock.at)


def test_a_fact_is_stale_when_older_than_twice_the_interval_in_force(outside: Outside, driven_clock: DrivenClock) -> None:
    outside.things["demo"] = 0
    ensure_source("fake.thing", "demo", "demo")
    assert ObservedSource.objects.get().stale(driven_clock.at), "never read"
    source = looked()
    assert not source.stale(driven_clock.at + timedelta(seconds=180))
    assert source.stale(driven_clock.at + timedelta(seconds=181))


def test_intervals_stretch_when_all_sources_together_exceed_the_rate_and_the_interval_in_force_is_kept(
    outside: Outside, driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = driven_clock.at
    ObservedSource.objects.bulk_create(
        ObservedSource(
            kind="fake.thing",
            key=f"c{number}",
            scope="1/us-west-2",
            pace=Pace.STEADY,
            interval=90,
            next_due_at=at + timedelta(hours=1),
            created_at=at,
        )
        for number in range(1000)
    )
    assert pace.stretch("1/us-west-2") == pytest.approx(1000 / 90 / 8)
    assert pace.stretch("1/eu-west-1") == 1.0
    outside.things["c0"] = 0
    ObservedSource.objects.filter(key="c0").update(next_due_at=at)
    work(Dispatcher(name="one"))
    source = ObservedSource.objects.get(key="c0")
    assert source.interval == pytest.approx(125.0)
    assert not source.stale(at + timedelta(seconds=249))
    assert source.stale(at + timedelta(seconds=251))
    # What the stretched intervals come to is within the observers' share of the rate limit.
    assert 1000 / source.interval == pytest.approx(8.0)


def test_a_poke_during_a_look_brings_another_look(outside: Outside, driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch) -> None:
    outside.things["demo"] = 0
    ensure_source("fake.thing", "demo", "demo")
    read = Outside.read

    def poked(self: Outside, name: str) -> int | None:
        if self.reads == 0:
            poke_cluster("demo")
        return read(self, name)

    monkeypatch.setattr(Outside, "read", poked)
    source = looked()
    assert source.next_due_at == driven_clock.at
    source = looked()
    assert source.next_due_at > driven_clock.at
    assert outside.reads == 2


def test_a_look_that_another_has_overtaken_leaves_the_row_alone(
    outside: Outside, driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside.things["demo"] = 5
    ensure_source("fake.thing", "demo", "demo")
    read = Outside.read
    meanwhile: list[object] = []

    def sleep(self: Outside, name: str) -> int | None:
        if not meanwhile:
            meanwhile.append(None)
            driven_clock.forward(61)
            assert reap() == 1
            work(Dispatcher(name="two"))
            meanwhile.append(ObservedSource.objects.values().get())
        return read(self, name)

    monkeypatch.setattr(Outside, "read", sleep)
    work(Dispatcher(name="one"))
    assert ObservedSource.objects.values().get() == meanwhile[1]
    assert outside.reads == 2


def taken_over(sources: list[ObservedSource], clock: DrivenClock) -> None:
    """What happens to a worker that is paused: its lease runs out, and another worker looks."""
    clock.forward(61)
    assert reap() == 1
    work(Dispatcher(name="two"))
    sources.append(ObservedSource.objects.get())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("paused", ["while it reads", "while it writes"])
def test_a_paused_observer_that_was_taken_over_overwrites_nothing(
    driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch, paused: str
) -> None:
    sources: list[ObservedSource] = []
    Heartbeat.objects.create(name="seen", at=driven_clock.at)
    found = iter(["old", "new"])

    def observe(_: fakes.FakeObserver, key: str) -> Pace:
        what = next(found)
        if what == "old" and paused == "while it reads":
            taken_over(sources, driven_clock)
        with observing.writing():
            Heartbeat.objects.filter(name__in=["seen", "new"]).update(name=what)
            if what == "old" and paused == "while it writes":
                ObservedSource.objects.update(fencing_token=F("fencing_token") + 1)
        return Pace.STEADY

    monkeypatch.setattr(fakes.FakeObserver, "observe", observe)
    ensure_source("fake.thing", "demo", "demo")
    work(Dispatcher(name="one"))
    assert set(Heartbeat.objects.exclude(name__in=["one", "two"]).values_list("name", flat=True)) == {"new" if sources else "seen"}
    if sources:
        assert ObservedSource.objects.get() == sources[0]


@pytest.mark.django_db(transaction=True)
def test_a_paused_observer_that_could_read_nothing_and_was_taken_over_makes_nothing_unknown(
    driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources: list[ObservedSource] = []
    Heartbeat.objects.create(name="well", at=driven_clock.at)

    def observe(_: fakes.FakeObserver, key: str) -> Pace:
        if sources:
            return Pace.STEADY
        sources.append(ObservedSource.objects.get())
        taken_over(sources, driven_clock)
        raise OutsideError("Unreachable", "refused", None, False)

    def unreadable(_: fakes.FakeObserver, *about: object) -> None:
        with observing.writing():
            Heartbeat.objects.filter(name="well").update(name="unknown")

    monkeypatch.setattr(fakes.FakeObserver, "observe", observe)
    monkeypatch.setattr(fakes.FakeObserver, "unreadable", unreadable)
    ensure_source("fake.thing", "demo", "demo")
    work(Dispatcher(name="one"))
    assert Heartbeat.objects.filter(name="well").exists()
    source = ObservedSource.objects.get()
    assert (source.failures, source.last_error_code, source.unreadable_since) == (0, "", None)


def test_a_look_delivered_again_reads_nothing(outside: Outside) -> None:
    outside.things["demo"] = 0
    ensure_source("fake.thing", "demo", "demo")
    source = ObservedSource.objects.get()
    token = leases.offer(ObservedSource, source.pk, 0)
    assert token == 1
    for _ in range(3):
        observing.observe(source.pk, token)
    assert outside.reads == 1


def test_a_source_of_another_release_is_kept_and_left_alone(driven_clock: DrivenClock) -> None:
    ensure_source("fake.forgotten", "demo", "demo")
    source = looked()
    assert (source.last_error_code, source.next_due_at) == ("no_observer", driven_clock.at + timedelta(hours=1))


def test_the_driver_looks_at_sources_too(outside: Outside) -> None:
    outside.things["demo"] = 3
    ensure_source("fake.thing", "demo", "demo")
    drive(lambda: ObservedSource.objects.get().pace == Pace.STEADY)
    assert outside.reads == 4
