"""The engine in the ordinary course, and in ordinary trouble."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection

from operations import backoff
from operations.choices import Category, OperationState, StepState
from operations.dispatcher import Dispatcher
from operations.driver import DriverStalled, drive, work
from operations.models import Event, Intent, ObservedSource, Operation
from operations.observing import ensure_source
from operations.step import Observation
from operations.tests import fakes
from operations.tests.conftest import DrivenClock
from operations.tests.world import Outside, OutsideError

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]


def once(operation: Operation) -> Operation:
    """One tick of the dispatcher with its tasks, no time passing; the operation as it stands then."""
    work(Dispatcher(name="test"), sources=False)
    operation.refresh_from_db()
    return operation


def test_an_operation_runs_its_steps_in_order_and_succeeds(begin: Begin, outside: Outside) -> None:
    operation = begin(things=["a", "b"])
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert [name for _, name, _ in outside.calls] == ["demo/a", "demo/b"]
    assert [(row["name"], row["state"]) for row in operation.steps] == [("a", "ready"), ("b", "ready")]
    assert operation.facts == {"a": {"thing": "demo/a"}, "b": {"thing": "demo/b"}}
    assert list(Intent.objects.values_list("step", "outcome", "request_id")) == [("a", "succeeded", "req-1"), ("b", "succeeded", "req-2")]
    assert (operation.lease_owner, operation.next_attempt_at, operation.waiting_for) == ("", None, "")
    assert fakes.finished == [("fake.make", "succeeded")]


def test_steps_that_are_there_already_are_not_made_again(begin: Begin, outside: Outside) -> None:
    outside.things = {"demo/a": 0, "demo/b": 0}
    operation = once(begin(things=["a", "b"]))
    assert operation.state == OperationState.SUCCEEDED
    assert outside.calls == []
    assert Intent.objects.count() == 0


def test_a_waiting_operation_says_what_it_waits_for_and_where_to_see_it(begin: Begin, outside: Outside, settings: object) -> None:
    outside.looks_until_ready = 2
    operation = once(begin())
    assert operation.state == OperationState.RUNNING
    assert operation.waiting_for == "demo/a comes up"
    assert operation.link == "/outside/demo/a"
    assert operation.step == "a"
    assert operation.lease_owner == ""
    assert operation.next_attempt_at is not None
    assert timedelta(0) < operation.next_attempt_at - operation.created_at <= timedelta(seconds=14)


def test_no_call_outside_happens_inside_a_transaction(
    transactional_db: None, begin: Begin, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside: list[bool] = []
    read = Outside.read

    def look(self: Outside, name: str) -> int | None:
        inside.append(connection.in_atomic_block)
        return read(self, name)

    monkeypatch.setattr(Outside, "read", look)
    outside.during = lambda _name: inside.append(connection.in_atomic_block)
    drive(begin("fake.pipeline", things=["a", "b"]))
    assert len(inside) >= 6
    assert not any(inside)


def test_a_parent_runs_its_children_in_order(begin: Begin, outside: Outside) -> None:
    operation = begin("fake.pipeline", things=["a", "b", "c"])
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED, operation.error_message
    assert [name for _, name, _ in outside.calls] == ["demo/a", "demo/b", "demo/c"]
    assert sorted(operation.children.values_list("parent_step", "state")) == [("a", "succeeded"), ("b", "succeeded"), ("c", "succeeded")]
    assert operation.facts["a"]["facts"] == {"a": {"thing": "demo/a"}}


def test_the_end_of_a_child_makes_its_parent_due_at_once(begin: Begin, outside: Outside) -> None:
    outside.things = {"demo/a": 0}
    operation = begin("fake.pipeline", things=["a"])
    operation = once(operation)  # the parent makes the child, and waits
    assert operation.waiting_for == "Waits for a worker."
    operation = once(operation)  # the child runs to its end
    assert operation.next_attempt_at is not None
    operation = once(operation)
    assert operation.state == OperationState.SUCCEEDED


def test_a_failed_child_fails_its_parent_with_its_own_fault(begin: Begin, outside: Outside) -> None:
    outside.broken["b"] = fakes.TERMINAL
    operation = begin("fake.pipeline", things=["a", "b", "c"])
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.FAILED
    assert (operation.error_code, operation.error_message, operation.error_hint) == (
        "broken_for_good",
        "It is broken for good.",
        "Mend it.",
    )
    assert [row["state"] for row in operation.steps] == ["ready", "failed", "waiting"]
    assert [name for _, name, _ in outside.calls] == ["demo/a"]


def test_a_terminal_error_of_a_call_ends_the_operation(begin: Begin, outside: Outside) -> None:
    outside.before = [OutsideError("AccessDenied", "not yours")]
    operation = once(begin())
    assert operation.state == OperationState.FAILED
    assert (operation.error_code, operation.error_category) == ("AccessDenied", Category.TERMINAL)
    assert "not yours" in operation.error_message
    assert operation.error_hint.startswith("Give the portal's role")
    assert Intent.objects.get().outcome == "failed"
    assert len(outside.calls) == 1


def test_five_throttles_in_a_row_are_waited_out_with_backoff(begin: Begin, outside: Outside, driven_clock: DrivenClock) -> None:
    outside.before = [OutsideError("Throttling", "Rate exceeded") for _ in range(5)]
    operation = begin()
    waits = []
    for failures in range(1, 6):
        operation = once(operation)
        assert (operation.state, operation.attempts, operation.error_code) == (OperationState.RUNNING, failures, "Throttling")
        assert "Tries again at" in operation.waiting_for
        assert operation.next_attempt_at is not None
        waits.append((operation.next_attempt_at - driven_clock.at).total_seconds())
        before = len(outside.calls)
        once(operation)
        assert len(outside.calls) == before, "not before the backoff is over"
        driven_clock.forward(waits[-1] + 0.001)
    for number, wait in enumerate(waits):
        assert 2 * 2**number / 2 <= wait <= 2 * 2**number
    operation = once(operation)
    assert (operation.attempts, operation.error_code, operation.waiting_for) == (0, "", "demo/a comes up")
    driven_clock.forward(60)
    assert once(operation).state == OperationState.SUCCEEDED
    assert outside.made == [("demo/a", outside.calls[-1][2])]
    assert len(outside.calls) == 6
    assert Event.objects.filter(operation=operation, code="Throttling").count() == 5


def test_a_world_that_cannot_be_read_is_waited_for_and_shown(begin: Begin, outside: Outside) -> None:
    outside.unreadable = [OutsideError("Unreachable", "refused", None, False) for _ in range(3)]
    operation = begin()
    assert once(operation).error_code == "Unreachable"
    assert "can't be reached" in operation.waiting_for
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert operation.error_code == ""


def test_a_defect_while_observing_is_tried_five_times_then_fails_and_says_so(begin: Begin, outside: Outside) -> None:
    outside.unreadable = [KeyError("oops") for _ in range(20)]
    operation = begin()
    drive(operation)
    operation.refresh_from_db()
    assert (operation.state, operation.error_code) == (OperationState.FAILED, "internal_error")
    assert outside.reads == backoff.TRIES[Category.UNKNOWN] == 5
    assert "KeyError" in operation.error_message


def test_a_recoverable_error_is_given_up_in_the_end(begin: Begin, outside: Outside) -> None:
    outside.unreadable = [OutsideError("ServiceUnavailable", "later", 503) for _ in range(100)]
    operation = begin()
    drive(operation)
    operation.refresh_from_db()
    assert (operation.state, operation.error_code) == (OperationState.FAILED, "ServiceUnavailable")
    assert outside.reads == backoff.TRIES[Category.RECOVERABLE]


def test_an_action_of_another_release_fails_with_a_sentence(begin: Begin) -> None:
    operation = begin()
    Operation.objects.update(kind="fake.forgotten")
    operation = once(operation)
    assert (operation.state, operation.error_code) == (OperationState.FAILED, "unknown_action")


def test_what_a_step_has_just_made_and_cannot_see_yet_is_not_made_again(begin: Begin, outside: Outside, driven_clock: DrivenClock) -> None:
    operation = begin()
    outside.during = outside.things.pop  # made, and not visible
    once(operation)
    assert len(outside.calls) == 1
    for _ in range(3):
        driven_clock.forward(3)
        Operation.objects.update(next_attempt_at=driven_clock.at)
        operation = once(operation)
    assert len(outside.calls) == 1
    assert operation.waiting_for == "demo/a is not there"
    driven_clock.forward(3)  # 12 s after the call: it was undone, not invisible
    Operation.objects.update(next_attempt_at=driven_clock.at)
    outside.during = None
    once(operation)
    assert len(outside.calls) == 2
    first, second = (token for _, _, token in outside.calls)
    assert first != second, "a call after one whose outcome is certain is a new attempt"


def test_a_change_makes_the_sources_of_its_cluster_due(begin: Begin, outside: Outside, driven_clock: DrivenClock) -> None:
    ensure_source("fake.thing", "demo/a", "demo")
    ensure_source("fake.thing", "other/a", "other")
    ObservedSource.objects.update(next_due_at=driven_clock.at + timedelta(hours=1))
    outside.looks_until_ready = 5
    once(begin())
    due = dict(ObservedSource.objects.values_list("cluster", "next_due_at"))
    assert due["demo"] == driven_clock.at
    assert due["other"] == driven_clock.at + timedelta(hours=1)


def test_a_step_that_never_converges_does_not_storm_the_world(begin: Begin, outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        fakes.MakeStep, "observe", lambda self, context: Observation(StepState.DIFFERENT, f"after {len(outside.calls)} calls")
    )
    operation = once(begin())
    assert operation.state == OperationState.RUNNING
    assert len(outside.calls) == 25
    assert operation.lease_owner == ""


def test_the_driver_says_what_it_waits_for_when_it_gives_up(begin: Begin, outside: Outside) -> None:
    outside.looks_until_ready = 10_000
    with pytest.raises(DriverStalled, match="demo/a comes up"):
        drive(begin(), max_ticks=5)
