"""Cancelling: a desired state that is converged to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.choices import Role
from accounts.principal import Principal
from instantstart.problem import Problem
from operations.cancel import cancel
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Event, Intent, Operation
from operations.tests.conftest import principal_of
from operations.tests.test_engine import once
from operations.tests.world import Outside, OutsideError

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]


def test_an_operation_that_has_not_begun_ends_without_a_call(begin: Begin, as_operator: Principal, outside: Outside) -> None:
    operation = cancel(begin(), as_operator)
    assert operation.state == OperationState.CANCELLING
    drive(operation)
    operation.refresh_from_db()
    assert (operation.state, outside.calls) == (OperationState.CANCELLED, [])
    assert operation.message == "Cancelled. Nothing was changed."


def test_what_runs_outside_comes_to_rest_first_and_nothing_new_begins(begin: Begin, as_operator: Principal, outside: Outside) -> None:
    outside.looks_until_ready = 3
    operation = once(begin(things=["a", "b"]))
    cancel(operation, as_operator)
    operation = once(operation)
    assert (operation.state, operation.waiting_for) == (OperationState.CANCELLING, "Cancelling: demo/a comes up.")
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.CANCELLED
    assert [name for _, name, _ in outside.calls] == ["demo/a"]
    assert [row["state"] for row in operation.steps] == ["cancelled", "waiting"]
    assert operation.cancel_requested_at is not None
    asked = operation.intents.get().api
    assert operation.message.endswith(f" What was asked for stands: {asked}.")


def test_cancelling_twice_changes_nothing_more(begin: Begin, as_operator: Principal, outside: Outside) -> None:
    operation = cancel(begin(), as_operator)
    before = operation.cancel_requested_at
    again = cancel(operation, as_operator)
    assert (again.state, again.cancel_requested_at) == (OperationState.CANCELLING, before)
    assert Event.objects.filter(code="cancel_requested").count() == 1


def test_children_are_cancelled_with_their_parent(begin: Begin, as_operator: Principal, outside: Outside) -> None:
    outside.looks_until_ready = 4
    operation = begin("fake.pipeline", things=["a", "b"])
    drive(lambda: len(outside.calls) == 1)
    cancel(operation, as_operator)
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.CANCELLED
    assert [(child.parent_step, child.state) for child in operation.children.all()] == [("a", OperationState.CANCELLED)]
    assert "What was asked for stands: " in operation.message
    assert [name for _, name, _ in outside.calls] == ["demo/a"]


def test_a_cancel_between_observing_and_calling_sends_nothing(begin: Begin, as_operator: Principal, outside: Outside) -> None:
    operation = begin()
    read = outside.read

    def read_and_be_cancelled(name: str) -> int | None:
        if operation.state == OperationState.RECORDED:
            cancel(operation, as_operator)
        return read(name)

    outside.read = read_and_be_cancelled  # type: ignore[method-assign]
    drive(operation)
    operation.refresh_from_db()
    assert (operation.state, outside.calls) == (OperationState.CANCELLED, [])
    assert Intent.objects.count() == 0


def test_cancelling_waits_out_a_world_that_cannot_be_read(begin: Begin, as_operator: Principal, outside: Outside) -> None:
    outside.looks_until_ready = 2
    operation = once(begin())
    cancel(operation, as_operator)
    outside.unreadable = [OutsideError("Unreachable", "refused", None, False) for _ in range(3)]
    operation = once(operation)
    assert (operation.state, operation.error_code) == (OperationState.CANCELLING, "Unreachable")
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.CANCELLED


def test_what_has_ended_is_not_cancelled(begin: Begin, as_operator: Principal) -> None:
    operation = begin()
    drive(operation)
    with pytest.raises(Problem) as caught:
        cancel(operation, as_operator)
    assert (caught.value.status, caught.value.code) == (409, "operation_ended")
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED


def test_an_action_that_cannot_be_cancelled_refuses(begin: Begin, as_admin: Principal) -> None:
    operation = begin("fake.reboot")
    with pytest.raises(Problem) as caught:
        cancel(operation, as_admin)
    assert caught.value.code == "not_cancellable"
    operation.refresh_from_db()
    assert operation.state == OperationState.RECORDED


@pytest.mark.parametrize(
    ("who", "code"),
    [
        (lambda: principal_of(Role.VIEWER), "role_too_low"),
        (lambda: principal_of(Role.ADMIN, read_only=True), "read_only_token"),
        (lambda: principal_of(Role.ADMIN, clusters=frozenset({"other"})), "cluster_not_allowed"),
    ],
)
def test_who_may_not_change_may_not_cancel(who: Callable[[], Principal], code: str, begin: Begin) -> None:
    operation = begin()
    with pytest.raises(Problem) as caught:
        cancel(operation, who())
    assert (caught.value.status, caught.value.code) == (403, code)
    operation.refresh_from_db()
    assert operation.state == OperationState.RECORDED


def test_what_awaits_approval_is_cancelled_at_once(begin: Begin, as_agent: Principal, as_operator: Principal) -> None:
    operation = cancel(begin("fake.remove", by=as_agent), as_operator)
    assert operation.state == OperationState.CANCELLED
