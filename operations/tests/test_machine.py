"""Whatever happens in whatever order: each thing is made once, each operation ends, no lock is held by two."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from accounts.choices import Role
from instantstart.problem import Problem
from operations import leases, points
from operations.cancel import cancel
from operations.choices import OperationState
from operations.dispatcher import Dispatcher
from operations.driver import drive, let_time_pass
from operations.engine import advance
from operations.models import Intent, ObservedSource, Operation, StatusEvent
from operations.models.operation import LOCKING_STATES
from operations.queue import using
from operations.resolve import resolve
from operations.retry import retry
from operations.submit import submit
from operations.tests import world
from operations.tests.conftest import principal_of
from operations.tests.world import OutsideError

pytestmark = [pytest.mark.postgres]

NAMES = ("demo", "other")
FINAL = {state for state in OperationState if state not in LOCKING_STATES}


class Died(BaseException):
    pass


class OperationMachine(RuleBasedStateMachine):
    """Submits, cancels, retries, resolves; loses tasks, delivers them late and again; workers die; replies are lost."""

    def __init__(self) -> None:
        super().__init__()
        for model in (StatusEvent, ObservedSource, Operation):
            model._default_manager.all().delete()
        world.outside = world.Outside()
        self.who = principal_of(Role.ADMIN)
        self.tasks: list[tuple[str, int]] = []
        self.done: list[tuple[str, int]] = []
        self.lost: list[tuple[str, int]] = []
        self.keys = itertools.count()
        self.ended: dict[Any, str] = {}
        self.dies_in: int | None = None
        self._reach = points.reach
        points.reach = self.reach

    def teardown(self) -> None:
        points.reach = self._reach
        self.dies_in = None
        world.outside.before.clear()
        world.outside.after.clear()
        world.outside.unreadable.clear()
        drive(sources=False)
        # A call whose reply was lost may only now turn out to be one of which nobody can tell: a person decides, then it ends.
        while halted := list(Operation.objects.filter(state=OperationState.UNKNOWN)):
            for operation in halted:
                resolve(operation, self.who, "failed", "the end of the test")
            drive(sources=False)
        self.each_thing_is_made_once()
        assert not Operation.objects.exclude(state__in=FINAL).exists()
        assert not Intent.objects.filter(ended_at=None).exists()

    def reach(self, _: str) -> None:
        if self.dies_in is not None:
            self.dies_in -= 1
            if self.dies_in <= 0:
                self.dies_in = None
                raise Died

    def deliver(self, task: tuple[str, int]) -> None:
        try:
            with using(self.enqueue):
                advance(*task)
        except Died:
            self.lost.append(task)  # the queue delivers again what nobody acknowledged
        else:
            self.done.append(task)

    def enqueue(self, path: str, *task: Any) -> None:
        if path.endswith("advance"):
            self.tasks.append((task[0], task[1]))

    @rule(name=st.sampled_from(NAMES), kind=st.sampled_from(["fake.make", "fake.pipeline", "fake.reboot"]), count=st.integers(1, 2))
    def submit(self, name: str, kind: str, count: int) -> None:
        raw = {"name": name, "things": list("ab")[:count]}
        holder = Operation.objects.filter(lock_key=f"cluster:{name}", state__in=LOCKING_STATES).first()
        try:
            with using(self.enqueue):
                made = submit(kind, raw, self.who, channel="api", idempotency_key=str(next(self.keys))).operation
        except Problem as problem:
            assert problem.code == "operation_in_progress"
            assert holder is not None and problem.extra == {"operation": str(holder.pk)}
        except Died:
            pass
        else:
            assert holder is None and made is not None

    @rule()
    def dispatch(self) -> None:
        try:
            with using(self.enqueue):
                Dispatcher(name="one").tick(sources=False)
        except Died:
            pass

    @precondition(lambda self: self.tasks)
    @rule(data=st.data())
    def deliver_a_task(self, data: st.DataObject) -> None:
        self.deliver(self.tasks.pop(data.draw(st.integers(0, len(self.tasks) - 1))))

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def deliver_a_task_again(self, data: st.DataObject) -> None:
        task = data.draw(st.sampled_from(self.done))
        before = list(Operation.objects.order_by("pk").values())
        try:
            advance(*task)
        except Died:
            pass
        assert list(Operation.objects.order_by("pk").values()) == before

    @precondition(lambda self: self.tasks)
    @rule()
    def lose_the_tasks(self) -> None:
        self.lost += self.tasks
        self.tasks = []

    @precondition(lambda self: self.lost)
    @rule(data=st.data())
    def find_a_lost_task(self, data: st.DataObject) -> None:
        self.deliver(self.lost.pop(data.draw(st.integers(0, len(self.lost) - 1))))

    @rule()
    def time_passes(self) -> None:
        let_time_pass()

    @rule(moments=st.integers(1, 30))
    def the_next_process_dies(self, moments: int) -> None:
        self.dies_in = moments

    @rule(
        when=st.sampled_from(["before", "after"]),
        error=st.sampled_from(
            [("Timeout", None, None), ("InternalFailure", 500, True), ("Throttling", 400, True), ("ExpiredToken", 403, True)]
        ),
    )
    def a_call_will_go_wrong(self, when: str, error: tuple[str, int | None, bool | None]) -> None:
        code, status, sent = error
        if when == "after" and code in ("Throttling", "ExpiredToken"):
            return  # these come without an effect
        getattr(world.outside, when).append(OutsideError(code, "as injected", status, sent))

    @rule()
    def the_world_can_not_be_read_once(self) -> None:
        world.outside.unreadable.append(OutsideError("Unreachable", "refused", None, False))

    @precondition(lambda self: Operation.objects.filter(state__in=["recorded", "running"]).exists())
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        operation = data.draw(st.sampled_from(list(Operation.objects.filter(state__in=["recorded", "running"]).order_by("created_at"))))
        try:
            with using(self.enqueue):
                cancel(operation, self.who)
        except Problem as problem:
            assert problem.code == "not_cancellable"
        except Died:
            pass

    @precondition(lambda self: Operation.objects.filter(state="unknown").exists())
    @rule(outcome=st.sampled_from(["succeeded", "failed"]))
    def resolve(self, outcome: str) -> None:
        operation = Operation.objects.filter(state="unknown").order_by("created_at").first()
        assert operation is not None
        try:
            with using(self.enqueue):
                resolve(operation, self.who, outcome, "says the test")
        except Died:
            pass

    @precondition(lambda self: Operation.objects.filter(state__in=["failed", "cancelled"], parent=None).exists())
    @rule()
    def retry(self) -> None:
        operation = Operation.objects.filter(state__in=["failed", "cancelled"], parent=None).order_by("created_at").first()
        assert operation is not None
        try:
            with using(self.enqueue):
                retry(operation, self.who, "web")
        except Problem as problem:
            assert problem.code == "operation_in_progress"
        except Died:
            pass

    @invariant()
    def each_thing_is_made_once(self) -> None:
        reboots = set(Operation.objects.filter(kind="fake.reboot").values_list("subject", flat=True))
        for name, times in Counter(name for name, _ in world.outside.made).items():
            if name.partition("/")[0] not in reboots:
                assert times == 1, name
        # A reboot has no token: the same operation must never send it twice unless the first certainly failed.
        for operation in Operation.objects.filter(kind="fake.reboot"):
            for step in ("a", "b"):
                sent = [i for i in operation.intents.filter(step=step).order_by("id") if i.sent_at is not None]
                assert all(i.outcome == "failed" for i in sent[:-1]), (operation, step)

    @invariant()
    def a_final_state_is_final_and_frees_the_lease(self) -> None:
        for operation in Operation.objects.all():
            if operation.pk in self.ended:
                assert operation.state == self.ended[operation.pk]
            if operation.state in FINAL:
                self.ended[operation.pk] = operation.state
                assert (operation.lease_owner, operation.next_attempt_at) == ("", None)
                assert operation.ended_at is not None and operation.waiting_for == ""
            else:
                assert operation.waiting_for or operation.message or operation.lease_owner not in ("", leases.OFFERED) or operation.step, (
                    "what waits says on what"
                )

    @invariant()
    def a_lock_has_one_holder(self) -> None:
        held = Counter(Operation.objects.filter(state__in=LOCKING_STATES).exclude(lock_key="").values_list("lock_key", flat=True))
        assert all(times == 1 for times in held.values())


@pytest.mark.django_db(transaction=True)
def test_whatever_happens_nothing_is_done_twice_and_everything_ends() -> None:

    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        OperationMachine,
        settings=settings(
            max_examples=20,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )
