"""The way in: validation, rights, plan, locks, repetition."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction

from accounts.choices import Role
from accounts.principal import Principal
from instantstart.problem import Problem
from operations import action as actions
from operations import queue
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Event, Notification, Operation, StatusEvent
from operations.submit import submit
from operations.tests.conftest import principal_of
from operations.tests.world import Outside

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


def refused(who: Principal, kind: str = "fake.make", raw: dict[str, Any] | None = None, **options: Any) -> Problem:
    """The Problem that submitting raises, after making sure that nothing was written."""
    before = (Operation.objects.count(), StatusEvent.objects.count(), Event.objects.count())
    with pytest.raises(Problem) as caught:
        submit(kind, {"name": "demo"} if raw is None else raw, who, channel="api", **options)
    assert (Operation.objects.count(), StatusEvent.objects.count(), Event.objects.count()) == before
    return caught.value


def test_an_accepted_request_is_recorded_whole(as_operator: Principal) -> None:
    submission = submit("fake.make", {"name": "demo", "things": ["a", "b"]}, as_operator, channel="web")
    operation = Operation.objects.get()
    assert submission.operation == operation
    assert submission.changed and not submission.repeated
    assert (operation.kind, operation.title, operation.subject_type, operation.subject) == ("fake.make", "Make things", "cluster", "demo")
    assert (operation.cluster, operation.lock_key, operation.channel) == ("demo", "cluster:demo", "web")
    assert operation.actor == as_operator.user
    assert operation.state == OperationState.RECORDED
    assert operation.input == {"name": "demo", "things": ["a", "b"], "error": "", "nothing": False}
    assert operation.plan_fingerprint == submission.plan.fingerprint
    assert [row["name"] for row in operation.steps] == ["a", "b"]
    assert operation.waiting_for == "Waits for a worker."
    assert sorted(StatusEvent.objects.values_list("topic", flat=True)) == ["cluster:demo", f"operation:{operation.pk}", "operations"]


def test_bad_input_names_the_field_the_reason_and_the_fix(as_operator: Principal) -> None:
    problem = refused(as_operator, raw={"things": ["a"], "colour": "red"})
    assert (problem.status, problem.code) == (422, "invalid_input")
    assert [(error.field, error.code, error.hint) for error in problem.errors] == [
        ("name", "missing", "Give this field."),
        ("colour", "extra_forbidden", "Leave this field out: the action does not know it."),
    ]


def test_an_action_that_does_not_exist_is_refused(as_operator: Principal) -> None:
    assert refused(as_operator, "fake.nothing").code == "unknown_action"


def test_rights_are_checked_before_anything_is_planned(as_viewer: Principal, outside: Outside) -> None:
    assert (refused(as_viewer).status, refused(as_viewer).code) == (403, "role_too_low")
    assert refused(principal_of(Role.OPERATOR), "fake.reboot").code == "role_too_low"
    assert refused(principal_of(Role.ADMIN, read_only=True)).code == "read_only_token"
    assert refused(principal_of(Role.ADMIN, clusters=frozenset({"other"}))).code == "cluster_not_allowed"
    assert submit("fake.make", {"name": "demo"}, principal_of(Role.OPERATOR, clusters=frozenset({"demo"})), channel="api").operation


def test_a_plan_with_errors_is_refused_with_each_check(as_operator: Principal) -> None:
    problem = refused(as_operator, raw={"name": "demo", "error": "no_room"})
    assert (problem.status, problem.code) == (422, "plan_has_errors")
    assert [(error.code, error.detail, error.hint) for error in problem.errors] == [("no_room", "It can't be.", "Ask otherwise.")]


def test_a_dry_run_plans_and_records_nothing(as_operator: Principal) -> None:
    submission = submit("fake.make", {"name": "demo"}, as_operator, channel="api", dry_run=True)
    assert (submission.operation, submission.changed) == (None, True)
    assert Operation.objects.count() == 0


def test_a_dry_run_shows_a_plan_with_errors(as_operator: Principal) -> None:
    submission = submit("fake.make", {"name": "demo", "error": "no_room"}, as_operator, channel="api", dry_run=True)
    assert [check.code for check in submission.plan.errors] == ["no_room"]


def test_a_plan_without_differences_does_nothing(as_operator: Principal, outside: Outside) -> None:
    submission = submit("fake.make", {"name": "demo", "nothing": True}, as_operator, channel="api")
    assert (submission.operation, submission.changed) == (None, False)
    assert (Operation.objects.count(), outside.calls) == (0, [])


def test_a_plan_of_yesterday_is_refused(as_operator: Principal, outside: Outside) -> None:
    seen = submit("fake.make", {"name": "demo"}, as_operator, channel="api", dry_run=True).plan.fingerprint
    outside.things["x"] = 0
    problem = refused(as_operator, plan_fingerprint=seen)
    assert (problem.status, problem.code) == (409, "plan_changed")
    assert problem.extra["plan"]["fingerprint"] != seen
    assert submit(
        "fake.make", {"name": "demo"}, as_operator, channel="api", plan_fingerprint=problem.extra["plan"]["fingerprint"]
    ).operation


def test_a_second_change_of_the_same_subject_is_refused_until_the_first_has_ended(as_operator: Principal) -> None:
    first = submit("fake.make", {"name": "demo"}, as_operator, channel="api").operation
    assert first is not None
    problem = refused(as_operator, "fake.remove")
    assert (problem.status, problem.code, problem.extra) == (409, "operation_in_progress", {"operation": str(first.pk)})
    assert (problem.detail.count(" is recorded since "), problem.hint) == (1, "Wait for it to end, or cancel it.")
    assert submit("fake.make", {"name": "other"}, as_operator, channel="api").operation
    drive()
    assert submit("fake.remove", {"name": "demo"}, as_operator, channel="api").operation


def test_where_nothing_differs_yet_the_change_that_is_under_way_is_told_and_its_repetition_finds_it(
    as_operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    removal = submit("fake.remove", {"name": "demo"}, as_operator, channel="api").operation
    assert removal is not None
    problem = refused(as_operator, raw={"name": "demo", "nothing": True})
    assert (problem.code, problem.extra) == ("operation_in_progress", {"operation": str(removal.pk)})
    plan = actions.find("fake.remove").plan
    monkeypatch.setattr(actions.find("fake.remove"), "plan", lambda *given: plan(*given).model_copy(update={"changes": ()}))
    again = submit("fake.remove", {"name": "demo"}, as_operator, channel="api")
    assert (again.operation, again.repeated, again.changed) == (removal, True, True)


@pytest.mark.parametrize(
    ("state", "word", "way_out"),
    [
        ("awaiting_approval", "awaiting approval", "Approve or refuse it."),
        ("unknown", "unknown", "Say how it ended, then try again."),
    ],
)
def test_what_waits_for_a_person_says_so_to_whoever_it_is_in_the_way_of(
    as_operator: Principal, state: str, word: str, way_out: str
) -> None:
    first = submit("fake.make", {"name": "demo"}, as_operator, channel="api").operation
    assert first is not None
    Operation.objects.filter(pk=first.pk).update(state=state)
    problem = refused(as_operator, "fake.remove")
    assert (problem.detail.count(f" is {word} since "), problem.hint) == (1, way_out)


def test_the_same_key_gives_the_same_operation_and_another_request_under_it_is_refused(as_operator: Principal, as_admin: Principal) -> None:
    first = submit("fake.make", {"name": "demo"}, as_operator, channel="api", idempotency_key="k1")
    again = submit("fake.make", {"name": "demo"}, as_operator, channel="api", idempotency_key="k1")
    assert (again.operation, again.repeated, again.changed) == (first.operation, True, True)
    drive()
    after = submit("fake.make", {"name": "demo"}, as_operator, channel="api", idempotency_key="k1")
    assert (after.operation, after.repeated) == (first.operation, True)
    problem = refused(as_operator, raw={"name": "other"}, idempotency_key="k1")
    assert (problem.status, problem.code) == (422, "idempotency_key_reused")
    other = submit("fake.make", {"name": "demo"}, as_admin, channel="api", idempotency_key="k1")
    assert other.operation != first.operation, "a key belongs to its user"


def test_two_requests_with_one_key_at_the_same_moment_make_one_operation(as_operator: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    first = submit("fake.make", {"name": "demo"}, as_operator, channel="api", idempotency_key="k1")
    # The second looked before the first was committed.
    monkeypatch.setattr("operations.submit._earlier", lambda *_: None)
    again = submit("fake.make", {"name": "demo"}, as_operator, channel="api", idempotency_key="k1")
    assert (again.operation, again.repeated) == (first.operation, True)
    assert Operation.objects.count() == 1


def test_an_agents_destructive_change_waits_for_a_person(as_agent: Principal, as_operator: Principal) -> None:
    operation = submit("fake.remove", {"name": "demo"}, as_agent, channel="mcp").operation
    assert operation is not None
    assert (operation.state, operation.next_attempt_at) == (OperationState.AWAITING_APPROVAL, None)
    assert operation.waiting_for.startswith("Waits for a person to approve it: anybody of the role operator or above, signed in or with")
    notification = Notification.objects.get()
    assert (notification.kind, notification.role, notification.user) == ("approval_asked", Role.OPERATOR, None)
    assert submit("fake.make", {"name": "other"}, as_agent, channel="mcp").operation.state == OperationState.RECORDED  # type: ignore[union-attr]
    assert submit("fake.remove", {"name": "third"}, as_operator, channel="web").operation.state == OperationState.RECORDED  # type: ignore[union-attr]


def test_planning_happens_outside_of_any_transaction(
    transactional_db: None, as_operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from operations.tests.fakes import Make

    seen: list[bool] = []
    plan = Make.plan

    def look(self: Make, data: Any, principal: Principal) -> Any:
        seen.append(connection.in_atomic_block)
        return plan(self, data, principal)

    monkeypatch.setattr(Make, "plan", look)
    submit("fake.make", {"name": "demo"}, as_operator, channel="api")
    assert seen == [False]


def test_the_operation_is_handed_to_a_worker_when_its_transaction_commits(transactional_db: None, as_operator: Principal) -> None:
    tasks: list[tuple[Any, ...]] = []
    with queue.using(lambda *task: tasks.append(task)), transaction.atomic():
        operation = submit("fake.make", {"name": "demo"}, as_operator, channel="api").operation
        assert tasks == []
    assert operation is not None
    assert tasks == [("operations.tasks.advance", str(operation.pk), 1)]
    operation.refresh_from_db()
    assert (operation.lease_owner, operation.fencing_token) == ("offered", 1)


def test_a_broker_that_is_away_leaves_the_operation_to_the_dispatcher(
    transactional_db: None, as_operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr("django_q.tasks.async_task", unreachable)
    operation = submit("fake.make", {"name": "demo"}, as_operator, channel="api").operation
    assert operation is not None
    operation.refresh_from_db()
    assert (operation.lease_owner, operation.state) == ("", OperationState.RECORDED)
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED


def test_what_recording_fails_at_leaves_nothing(as_operator: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    from operations.tests.fakes import Make

    def fail(*_: Any) -> None:
        raise RuntimeError("no row")

    monkeypatch.setattr(Make, "record", fail)
    with pytest.raises(RuntimeError):
        submit("fake.make", {"name": "demo"}, as_operator, channel="api")
    assert Operation.objects.count() == 0
