"""The engine in the ordinary course, and in ordinary trouble."""

from __future__ import annotations

import pytest

from accounts.principal import Principal
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Intent, Operation
from operations.submit import submit
from operations.tests.world import Outside

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


def begin(who: Principal, kind: str = "fake.make", **raw: object) -> Operation:
    operation = submit(kind, {"name": "demo", **raw}, who, channel="api").operation
    assert operation is not None
    return operation


def test_an_operation_runs_its_steps_in_order_and_succeeds(operator: Principal, outside: Outside) -> None:
    operation = begin(operator, things=["a", "b"])
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert [name for _, name, _ in outside.calls] == ["demo/a", "demo/b"]
    assert [(row["name"], row["state"]) for row in operation.steps] == [("a", "ready"), ("b", "ready")]
    assert operation.facts == {"a": {"thing": "demo/a"}, "b": {"thing": "demo/b"}}
    assert list(Intent.objects.values_list("step", "outcome", "request_id")) == [("a", "succeeded", "req-1"), ("b", "succeeded", "req-2")]


def test_a_parent_runs_its_children_in_order(operator: Principal, outside: Outside) -> None:
    operation = begin(operator, "fake.pipeline", things=["a", "b", "c"])
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED, operation.error_message
    assert [name for _, name, _ in outside.calls] == ["demo/a", "demo/b", "demo/c"]
    assert sorted(operation.children.values_list("parent_step", "state")) == [(s, "succeeded") for s in "abc"]
