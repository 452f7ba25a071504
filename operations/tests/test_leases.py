"""Leases and fencing tokens: who has lost the row writes nothing, and sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import Q

from operations import leases, points
from operations.choices import OperationState
from operations.dispatcher import Dispatcher
from operations.driver import drive, work
from operations.engine import advance
from operations.leases import Lease, LeaseLost, StateChanged
from operations.models import Intent, Operation, StatusEvent
from operations.reaper import reap
from operations.tests.conftest import DrivenClock
from operations.tests.world import Outside

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]


def owned(operation: Operation) -> Lease:
    """The lease of a worker that has just claimed the operation."""
    token = leases.offer(Operation, operation.pk, operation.fencing_token)
    assert token is not None
    lease = leases.claim(Operation, operation.pk, token)
    assert lease is not None
    operation.refresh_from_db()
    return lease


def test_each_change_of_owner_raises_the_fencing_token(begin: Begin, settings: object) -> None:
    operation = begin()
    lease = owned(operation)
    assert (operation.fencing_token, lease.token) == (2, 2)
    assert operation.lease_owner == leases.worker_name()
    assert operation.lease_expires_at is not None


def test_an_offered_row_is_claimed_once(begin: Begin) -> None:
    operation = begin()
    token = leases.offer(Operation, operation.pk, 0)
    assert token == 1
    assert leases.offer(Operation, operation.pk, 0) is None
    assert leases.claim(Operation, operation.pk, 1) == Lease(Operation, operation.pk, 2)
    assert leases.claim(Operation, operation.pk, 1) is None
    assert leases.claim(Operation, operation.pk, 2) is None


def test_what_is_not_due_is_not_offered(begin: Begin, driven_clock: DrivenClock) -> None:
    operation = begin()
    Operation.objects.update(next_attempt_at=driven_clock.at + timedelta(seconds=1))
    assert leases.offer(Operation, operation.pk, 0) is None
    driven_clock.forward(1)
    assert leases.offer(Operation, operation.pk, 0) == 1


def test_a_write_renews_the_lease(begin: Begin, driven_clock: DrivenClock) -> None:
    operation = begin()
    lease = owned(operation)
    driven_clock.forward(50)
    leases.write(lease, message="here")
    driven_clock.forward(50)
    leases.write(lease, message="still here")
    operation.refresh_from_db()
    assert operation.message == "still here"


def test_a_lease_that_has_run_out_writes_nothing_though_nobody_took_over(begin: Begin, driven_clock: DrivenClock) -> None:
    operation = begin()
    lease = owned(operation)
    driven_clock.forward(60)
    with pytest.raises(LeaseLost):
        leases.write(lease, message="late")
    with pytest.raises(LeaseLost):
        leases.leave(lease, driven_clock.at, 0, message="late")
    operation.refresh_from_db()
    assert operation.message == ""
    leases.write(lease, even_if_expired=True, message="the outcome of a call")
    operation.refresh_from_db()
    assert operation.message == "the outcome of a call"


def test_a_stale_fencing_token_writes_nothing_whatever_it_tries(begin: Begin, driven_clock: DrivenClock) -> None:
    operation = begin()
    stale = owned(operation)
    driven_clock.forward(61)
    assert reap() == 1
    operation.refresh_from_db()
    owned(operation)
    before = Operation.objects.values().get()
    for attempt in (
        lambda: leases.write(stale, message="late"),
        lambda: leases.write(stale, even_if_expired=True, message="late"),
        lambda: leases.leave(stale, driven_clock.at, 0, message="late"),
        lambda: leases.leave(stale, driven_clock.at, 0, even_if_expired=True, message="late"),
    ):
        with pytest.raises(LeaseLost):
            attempt()
    assert Operation.objects.values().get() == before


def test_a_state_that_somebody_else_changed_is_told_apart_from_a_lost_lease(begin: Begin) -> None:
    operation = begin()
    lease = owned(operation)
    with pytest.raises(StateChanged):
        leases.write(lease, where=Q(state=OperationState.RUNNING), message="x")
    with pytest.raises(StateChanged):
        leases.leave(lease, operation.created_at, 0, where=Q(state=OperationState.RUNNING))


def test_a_poke_while_the_row_is_owned_makes_it_due_when_it_is_left(begin: Begin, driven_clock: DrivenClock) -> None:
    operation = begin()
    lease = owned(operation)
    leases.poke(Operation, Q(pk=operation.pk))
    leases.leave(lease, driven_clock.at + timedelta(hours=1), operation.pokes)
    operation.refresh_from_db()
    assert operation.next_attempt_at == driven_clock.at
    lease = owned(operation)
    leases.leave(lease, driven_clock.at + timedelta(hours=1), operation.pokes)
    operation.refresh_from_db()
    assert operation.next_attempt_at == driven_clock.at + timedelta(hours=1)


def test_a_call_that_does_not_fit_into_the_lease_is_not_made(begin: Begin, outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operations.tests.fakes.MakeStep.apply_timeout", 60.0)
    operation = begin()
    drive(operation)
    operation.refresh_from_db()
    assert (operation.state, operation.error_code, operation.error_hint) == (
        OperationState.FAILED,
        "call_outlasts_lease",
        "Raise INSTANTSTART_LEASE_SECONDS.",
    )
    assert (outside.calls, Intent.objects.count()) == ([], 0)


# --- takeover -------------------------------------------------------------------------------------------------------


def test_a_dead_workers_operation_is_taken_back_when_its_lease_ends(begin: Begin, driven_clock: DrivenClock) -> None:
    operation = begin()
    owned(operation)
    driven_clock.forward(59)
    assert reap() == 0
    driven_clock.forward(2)
    assert reap() == 1
    operation.refresh_from_db()
    assert (operation.lease_owner, operation.next_attempt_at, operation.fencing_token) == ("", driven_clock.at, 3)


def test_a_takeover_waits_for_the_longest_call_that_may_be_under_way(begin: Begin, driven_clock: DrivenClock) -> None:
    operation = begin()
    lease = owned(operation)
    Intent.objects.create(
        operation=operation,
        step="a",
        attempt=1,
        api="x",
        token="x",
        fencing_token=lease.token,
        timeout_seconds=20,
        created_at=driven_clock.at,
        sent_at=driven_clock.at,
    )
    driven_clock.forward(61)
    assert reap() == 0
    driven_clock.forward(18)
    assert reap() == 0
    driven_clock.forward(2)
    assert reap() == 1


def test_a_task_that_the_queue_lost_is_offered_again(begin: Begin, driven_clock: DrivenClock) -> None:
    operation = begin()
    assert leases.offer(Operation, operation.pk, 0) == 1
    driven_clock.forward(29)
    assert reap() == 0
    driven_clock.forward(2)
    assert reap() == 1
    assert leases.claim(Operation, operation.pk, 1) is None, "the lost task, found again, is void"
    assert leases.offer(Operation, operation.pk, 2) == 3


def pause_at(point: str, meanwhile: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first to reach the point sleeps there while `meanwhile` happens."""
    slept: list[str] = []

    def reach(reached: str) -> None:
        if reached == point and not slept:
            slept.append(reached)
            meanwhile()

    monkeypatch.setattr(points, "reach", reach)
    return slept


@pytest.mark.parametrize(
    "point", ["claim.committed", "start.before", "observe.before", "observe.after", "intent.before", "intent.committed"]
)
def test_a_worker_paused_past_its_lease_before_it_sends_sends_nothing(
    point: str, begin: Begin, outside: Outside, driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = begin()

    def meanwhile() -> None:
        driven_clock.forward(61)
        outside.during = None

    slept = pause_at(point, meanwhile, monkeypatch)
    work(Dispatcher(name="first"))
    assert slept == [point]
    assert outside.calls == []
    driven_clock.forward(60)
    drive(operation)
    operation.refresh_from_db()
    assert (operation.state, len(outside.calls)) == (OperationState.SUCCEEDED, 1)


@pytest.mark.parametrize(
    "point",
    ["claim.committed", "start.before", "observe.after", "intent.before", "intent.committed", "call.before", "call.after", "leave.before"],
)
@pytest.mark.parametrize("kind", ["fake.make", "fake.reboot"])
def test_a_worker_that_wakes_after_another_has_finished_doubles_nothing_and_writes_nothing(
    point: str, kind: str, begin: Begin, outside: Outside, driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = begin(kind)
    after: list[object] = []

    def meanwhile() -> None:
        driven_clock.forward(61 + 6)
        drive(operation)
        after.append((Operation.objects.values().get(), list(Intent.objects.values()), StatusEvent.objects.count()))

    slept = pause_at(point, meanwhile, monkeypatch)
    work(Dispatcher(name="first"))
    assert slept == [point]
    assert after == [(Operation.objects.values().get(), list(Intent.objects.values()), StatusEvent.objects.count())]
    operation.refresh_from_db()
    if kind == "fake.reboot" and point == "call.before":
        # Perhaps sent, perhaps not: the one that took over asks a person, and the sleeper sends it after all. Once.
        assert operation.state == OperationState.UNKNOWN
    else:
        assert operation.state == OperationState.SUCCEEDED
    assert len(outside.made) == 1
    assert len(outside.calls) == (2 if (kind, point) == ("fake.make", "call.before") else 1)


def test_every_task_delivered_three_times_out_of_order_changes_nothing_more(begin: Begin, outside: Outside) -> None:
    delivered: list[tuple[str, int]] = []

    import operations.tasks as tasks

    def advance_and_note(operation_id: str, fencing_token: int) -> None:
        delivered.append((operation_id, fencing_token))
        advance(operation_id, fencing_token)
        for earlier in (*reversed(delivered), *delivered):
            advance(*earlier)

    original = tasks.advance
    tasks.advance = advance_and_note
    try:
        operation = begin("fake.pipeline", things=["a", "b", "c"])
        drive(operation)
    finally:
        tasks.advance = original
    before = (list(Operation.objects.order_by("pk").values()), list(Intent.objects.values()), StatusEvent.objects.count())
    for task in (*reversed(delivered), *delivered, *delivered):
        advance(*task)
    assert before == (list(Operation.objects.order_by("pk").values()), list(Intent.objects.values()), StatusEvent.objects.count())
    assert [name for _, name, _ in outside.calls] == ["demo/a", "demo/b", "demo/c"]
    assert len(delivered) >= 8
