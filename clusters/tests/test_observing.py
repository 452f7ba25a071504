"""What looks at a cluster write, and when a state becomes Unknown."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from clusters.choices import PhaseName, Seen, State
from clusters.models import Cluster, ClusterEvent
from clusters.models.event import EVENTS_KEPT_PER_CLUSTER
from clusters.observers import ClusterObserver
from clusters.observing.look import Look
from clusters.observing.nodes import write_events
from clusters.observing.write import mark_unreadable, write
from clusters.phases.probe import PhaseObservation, ResourceSeen
from clusters.reading.hyperpod import EventReading
from clusters.tests.rows import make_cluster
from operations import clock
from operations.models import ObservedSource, StatusEvent
from operations.observing import Pace
from operations.step import Fault

pytestmark = pytest.mark.django_db

FAULT = Fault("Unreachable", "AWS could not be reached.", "Check the network.")
READY = PhaseObservation(Seen.READY, "fine")


def seen(**changes: Any) -> Look:
    """A look at which every phase was ready; changes: a phase's name with another observation, or with a Fault."""
    made = Look(clock.now())
    for phase in PhaseName:
        one = changes.get(phase.value, READY)
        if isinstance(one, Fault):
            made.troubles[phase] = one
        else:
            made.phases[phase] = one
    return made


def states() -> dict[str, str]:
    return {phase.name: phase.state for phase in Cluster.objects.get().phases.all()}


def test_a_phase_that_cannot_be_read_twice_is_unknown_and_one_reading_heals_it() -> None:
    make_cluster()
    write("demo", seen(storage=FAULT))
    assert states()["storage"] == State.READY
    write("demo", seen(storage=FAULT))
    assert states() == {**dict.fromkeys(PhaseName.values, State.READY), "storage": State.UNKNOWN}
    row = Cluster.objects.get()
    assert (row.state, row.message) == (State.UNKNOWN, "AWS could not be reached. Check the network.")
    assert row.phases.get(name="storage").seen == Seen.READY  # what was last known stays
    write("demo", seen())
    assert Cluster.objects.get().state == State.READY
    assert row.phases.get(name="storage").unreadable_since is None


def test_a_cluster_of_which_nothing_can_be_read_is_unknown_and_not_gone() -> None:
    make_cluster()
    for failures in (1, 2):
        mark_unreadable("demo", FAULT, clock.now(), failures)
    assert set(states().values()) == {State.UNKNOWN}
    assert Cluster.objects.get().unreadable_since is not None
    write("demo", seen())
    row = Cluster.objects.get()
    assert (row.state, row.unreadable_since, row.unreadable) == (State.READY, None, "")


def test_only_aws_says_that_something_is_gone() -> None:
    make_cluster()
    write("demo", seen(hyperpod=PhaseObservation(Seen.ABSENT, "AWS knows none")))
    assert states()["hyperpod"] == State.GONE


def test_an_earlier_look_that_comes_late_changes_nothing() -> None:
    make_cluster()
    late = seen(hyperpod=PhaseObservation(Seen.FAILED, "old news"))
    late.began -= timedelta(seconds=5)
    write("demo", seen())
    write("demo", late)
    assert states()["hyperpod"] == State.READY


def test_nothing_is_told_to_the_pages_when_nothing_changed() -> None:
    make_cluster()
    write("demo", seen())
    before = StatusEvent.objects.count()
    write("demo", seen())
    assert StatusEvent.objects.count() == before


def test_a_changed_phase_is_told_to_the_clusters_own_pages_and_to_the_list() -> None:
    make_cluster()
    write("demo", seen())
    StatusEvent.objects.all().delete()
    write("demo", seen(storage=PhaseObservation(Seen.FAILED, "lost")))
    assert {(event.topic, event.kind) for event in StatusEvent.objects.all()} == {
        ("cluster:demo", "phase"),
        ("cluster:demo", "cluster"),
        ("clusters", "cluster"),
    }


def test_resources_follow_what_the_phase_lists() -> None:
    row = make_cluster()
    one, two = ResourceSeen("AWS::EC2::VPC", "vpc-1", "Vpc", "CREATE_COMPLETE"), ResourceSeen("AWS::EC2::EIP", "eip-1", "Eip", "x")
    write("demo", seen(control_plane=PhaseObservation(Seen.READY, "fine", resources=(one, two))))
    assert row.resources.count() == 2
    write("demo", seen(control_plane=PhaseObservation(Seen.READY, "fine", resources=(one,))))
    assert [item.physical_id for item in row.resources.all()] == ["vpc-1"]


def test_a_cluster_whose_row_is_gone_is_not_looked_at_any_more() -> None:
    assert ClusterObserver().observe("nobody") is Pace.GONE


def _event(number: int) -> EventReading:
    at = clock.now() + timedelta(seconds=number)
    return EventReading(f"event-{number}", at, "Error", "Instance", "workers", "i-1", "Lifecycle script failed")


def test_events_are_kept_once_and_not_for_ever() -> None:
    row = make_cluster()
    events = [_event(number) for number in range(EVENTS_KEPT_PER_CLUSTER + 10)]
    assert write_events(row, events[:20]) is True
    assert write_events(row, events[:20]) is False
    assert ClusterEvent.objects.count() == 20
    write_events(row, events)
    assert ClusterEvent.objects.count() == EVENTS_KEPT_PER_CLUSTER
    assert ClusterEvent.objects.first().code == "lifecycle_failed"  # type: ignore[union-attr]


def test_staleness_follows_the_time_between_looks_that_happened(settings: Any) -> None:
    settings.POLL_STEADY = 90.0
    row = make_cluster()
    ObservedSource.objects.create(
        kind="cluster", key="demo", pace=Pace.STEADY, interval=0.5, next_due_at=clock.now(), created_at=clock.now()
    )
    begun = clock.now()
    for seconds in (0, 8, 16):  # each look takes far longer than the interval aimed at
        one = seen()
        one.began = begun + timedelta(seconds=seconds)
        write("demo", one)
    row = Cluster.objects.get()
    assert row.interval == 8.0
    assert (row.stale(one.began + timedelta(seconds=15.9)), row.stale(one.began + timedelta(seconds=16.1))) == (False, True)
    late = seen()
    late.began = one.began + timedelta(hours=1)  # an hour's outage is no interval
    write("demo", late)
    assert Cluster.objects.get().interval == 90.0


def test_what_is_some_seconds_old_is_not_stale_however_short_the_interval() -> None:
    row = make_cluster(observed_at=clock.now(), interval=0.5)
    assert row.observed_at is not None
    assert (row.stale(row.observed_at + timedelta(seconds=4.9)), row.stale(row.observed_at + timedelta(seconds=5.1))) == (False, True)


def test_a_cluster_looked_at_every_half_second_never_flickers_to_stale(settings: Any) -> None:
    """As `make up` polls: looks come a quarter early or late and take up to 1.5 s; the pace changes to steady and back."""
    settings.POLL_TRANSITION, settings.POLL_STEADY = 0.5, 5.0
    row = make_cluster()
    source = ObservedSource.objects.create(kind="cluster", key="demo", interval=0.5, next_due_at=clock.now(), created_at=clock.now())
    at = clock.now()
    for number in range(60):
        moving = number % 20 < 12
        one = seen(storage=PhaseObservation(Seen.CHANGING, "not yet")) if moving else seen()
        one.began = at
        pace = write("demo", one)
        assert pace is (Pace.TRANSITION if moving else Pace.STEADY)
        source.pace, source.interval = pace, settings.POLL_TRANSITION if moving else settings.POLL_STEADY
        source.save()
        row.refresh_from_db()
        took = (0.05, 0.4, 1.5)[number % 3]
        at += timedelta(seconds=took + source.interval * (0.75, 1.25)[number % 2])
        next_written = at + timedelta(seconds=1.5)
        assert not row.stale(next_written), (number, row.interval)


@pytest.mark.parametrize("interval", [0.5, 90.0])
def test_a_cluster_and_its_source_are_stale_by_one_rule(interval: float) -> None:
    at = clock.now()
    row = make_cluster(observed_at=at, interval=interval)
    source = ObservedSource(kind="cluster", key="demo", interval=interval, last_success_at=at, next_due_at=at, created_at=at)
    limit = max(5.0, 2 * interval)
    for seconds, stale in ((limit - 0.1, False), (limit + 0.1, True)):
        moment = at + timedelta(seconds=seconds)
        assert (row.stale(moment), source.stale(moment)) == (stale, stale)
