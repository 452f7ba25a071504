"""Killed anywhere, it ends the same: the driver dies by a BaseException, a new one starts from the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from accounts.principal import Principal
from operations import points
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Intent, Operation
from operations.submit import submit
from operations.tests.world import Outside

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]

THINGS = ["a", "b", "c"]


class Died(BaseException):
    """The process is gone."""


class Killer:
    """Stands in for points.reach: notes what is reached and dies where `when` says."""

    def __init__(self, when: Callable[[str, int], bool]) -> None:
        self.reached: list[str] = []
        self.when = when

    def reach(self, point: str) -> None:
        self.reached.append(point)
        if self.when(point, len(self.reached)):
            raise Died(point)


def survive(who: Principal, kind: str = "fake.pipeline") -> tuple[Operation, int]:
    """Submits (again and again, under one key) and drives until the operation has ended; and how often somebody died."""
    deaths = 0
    while True:
        try:
            operation = submit(kind, {"name": "demo", "things": THINGS}, who, channel="api", idempotency_key="once").operation
            assert operation is not None
            drive(operation)
            operation.refresh_from_db()
            return operation, deaths
        except Died:
            deaths += 1


def each_point_once() -> Callable[[str, int], bool]:
    to_come = set(points.POINTS)

    def when(point: str, _: int) -> bool:
        if point not in to_come:
            return False
        to_come.discard(point)
        return True

    return when


def assert_made_once(operation: Operation, outside: Outside) -> None:
    assert operation.state == OperationState.SUCCEEDED, operation.error_message
    assert [name for name, _ in outside.made] == [f"demo/{thing}" for thing in THINGS]
    assert Operation.objects.count() == 1 + len(THINGS)
    assert set(operation.children.values_list("state", flat=True)) == {OperationState.SUCCEEDED}
    assert not Intent.objects.filter(ended_at=None).exists()


def test_a_run_without_accidents_reaches_every_point_but_those_after_a_crash(
    as_admin: Principal, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer(lambda *_: False)
    monkeypatch.setattr(points, "reach", killer.reach)
    operation, deaths = survive(as_admin)
    assert deaths == 0
    assert set(killer.reached) == set(points.POINTS) - points.AFTER_A_CRASH
    assert_made_once(operation, outside)


def test_a_driver_that_dies_once_at_each_point_ends_with_each_thing_made_once(
    as_admin: Principal, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer(each_point_once())
    monkeypatch.setattr(points, "reach", killer.reach)
    operation, deaths = survive(as_admin)
    assert deaths == len(points.POINTS)
    assert set(killer.reached) == set(points.POINTS)
    assert_made_once(operation, outside)


def moments() -> Iterator[int]:
    yield from range(1, 131, 3)


def test_a_driver_that_dies_at_every_third_moment_in_turn_ends_the_same(
    as_admin: Principal, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly = set(moments())
    killer = Killer(lambda _, moment: moment in deadly)
    monkeypatch.setattr(points, "reach", killer.reach)
    operation, deaths = survive(as_admin)
    assert deaths >= 40
    assert_made_once(operation, outside)


def test_the_points_in_the_code_are_the_points_in_the_list() -> None:
    import re
    from pathlib import Path

    source = "".join(path.read_text() for path in Path(points.__file__).parent.rglob("*.py") if "tests" not in path.parts)
    assert set(re.findall(r'points\.reach\("([^"]+)"\)', source)) == set(points.POINTS)
    assert len(points.POINTS) == len(set(points.POINTS))


@pytest.mark.parametrize(
    ("point", "state", "calls"),
    [
        ("intent.before", OperationState.SUCCEEDED, 1),
        ("intent.committed", OperationState.SUCCEEDED, 1),  # not marked as sent: certainly not sent
        ("call.before", OperationState.UNKNOWN, 0),  # perhaps sent: never again
        ("call.after", OperationState.SUCCEEDED, 1),  # its effect is seen
    ],
)
def test_a_call_that_is_not_idempotent_is_never_sent_twice(
    point: str, state: OperationState, calls: int, as_admin: Principal, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    died: list[str] = []

    def reach(reached: str) -> None:
        if reached == point and not died:
            died.append(reached)
            raise Died(reached)

    monkeypatch.setattr(points, "reach", reach)
    operation = submit("fake.reboot", {"name": "demo", "things": ["a"]}, as_admin, channel="api").operation
    assert operation is not None
    with pytest.raises(Died):
        drive(operation)
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == state
    assert len(outside.calls) == calls
    if state == OperationState.UNKNOWN:
        assert operation.error_code == "outcome_unknown"
        assert operation.waiting_for == "Waits for a person to say how it ended."
        assert operation.ended_at is None
