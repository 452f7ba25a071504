"""What persons decide: approvals, outcomes that can't be told, retries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.actions import users
from accounts.choices import Role
from accounts.models import ApiToken, User
from accounts.principal import Principal
from accounts.principals import principal_for
from instantstart.problem import Problem
from operations import action as actions
from operations.approve import approve, expire_approvals, refuse
from operations.choices import OperationState, Severity
from operations.driver import drive
from operations.models import Notification, Operation
from operations.plan import Check, Plan
from operations.resolve import resolve
from operations.retry import retry
from operations.submit import submit
from operations.tests import fakes
from operations.tests.conftest import DrivenClock, principal_of
from operations.tests.world import Outside, OutsideError

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(Problem) as caught:
        call()
    return caught.value.code


@pytest.fixture
def asked(begin: Begin, as_agent: Principal, outside: Outside) -> Operation:
    outside.things["demo/a"] = 0
    return begin("fake.remove", by=as_agent)


@pytest.fixture
def undecided(begin: Begin, outside: Outside) -> Operation:
    outside.before = [OutsideError("Timeout", "no answer", None, None)]
    operation = begin("fake.reboot", things=["a", "b"])
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.UNKNOWN
    return operation


def test_an_approved_change_runs(asked: Operation, as_operator: Principal, outside: Outside) -> None:
    drive()
    assert outside.calls == [], "not before a person says so"
    approve(asked, as_operator, "go on")
    assert (asked.state, asked.decided_by, asked.decision_reason) == (OperationState.RECORDED, as_operator.user, "go on")
    drive(asked)
    asked.refresh_from_db()
    assert (asked.state, outside.things) == (OperationState.SUCCEEDED, {})


def test_what_the_plan_finds_wrong_by_now_is_not_approved(
    asked: Operation, as_operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Check(code="in_the_way", severity=Severity.ERROR, title="Way", detail="Something is in the way.")
    plan = actions.find("fake.remove").plan
    monkeypatch.setattr(actions.find("fake.remove"), "plan", lambda *given: plan(*given).model_copy(update={"checks": (wrong,)}))
    assert code_of(lambda: approve(asked, as_operator)) == "plan_has_errors"
    asked.refresh_from_db()
    assert (asked.state, [check["code"] for check in asked.plan["checks"]]) == (OperationState.AWAITING_APPROVAL, ["in_the_way"])


def test_what_the_action_guards_against_is_neither_recorded_nor_approved(
    asked: Operation, as_operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guard(_: object) -> None:
        raise Problem(409, "protected_since", "Protected", "Somebody has protected it since.", "Look.")

    monkeypatch.setattr(actions.find("fake.remove"), "guard", guard)
    assert code_of(lambda: approve(asked, as_operator)) == "protected_since"
    asked.refresh_from_db()
    assert asked.state == OperationState.AWAITING_APPROVAL
    refuse(asked, as_operator)
    before = Operation.objects.count()
    assert code_of(lambda: submit("fake.remove", {"name": "demo"}, as_operator, channel="api")) == "protected_since"
    assert Operation.objects.count() == before


def test_a_refused_change_never_runs(asked: Operation, as_operator: Principal, outside: Outside) -> None:
    refuse(asked, as_operator, "not today")
    drive()
    assert (asked.state, outside.calls) == (OperationState.REFUSED, [])
    assert asked.message == "Refused by the operator. not today"
    assert fakes.finished == [("fake.remove", "refused")]
    assert code_of(lambda: approve(asked, as_operator)) == "not_awaiting_approval"


def test_an_agent_can_not_approve_nor_refuse(asked: Operation, as_agent: Principal) -> None:
    assert code_of(lambda: approve(asked, as_agent)) == "agent_may_not_approve"
    assert code_of(lambda: refuse(asked, as_agent)) == "agent_may_not_approve"
    asked.refresh_from_db()
    assert asked.state == OperationState.AWAITING_APPROVAL


def test_who_may_not_change_may_not_approve(asked: Operation, as_viewer: Principal) -> None:
    assert code_of(lambda: approve(asked, as_viewer)) == "role_too_low"
    assert code_of(lambda: refuse(asked, principal_of(Role.ADMIN, clusters=frozenset({"other"})))) == "cluster_not_allowed"
    asked.refresh_from_db()
    assert asked.state == OperationState.AWAITING_APPROVAL


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        ("revoked", "The token bot of the operator, which asked for it, was revoked or has ended."),
        ("made again", "The token bot of the operator, which asked for it, was revoked or has ended."),
        ("ended", "The token bot of the operator, which asked for it, was revoked or has ended."),
        ("demoted", "the operator asked for it and may not do it any more. Remove things needs the role operator; yours is viewer."),
        ("limited", "the operator asked for it and may not do it any more. Remove things: this token is limited to other clusters."),
        ("shut out", "the operator was shut out meanwhile."),
    ],
)
def test_what_its_asker_may_not_do_any_more_is_not_approved(
    begin: Begin,
    as_operator: Principal,
    as_admin: Principal,
    make_token: Callable[..., tuple[ApiToken, str]],
    driven_clock: DrivenClock,
    outside: Outside,
    taken: str,
    said: str,
) -> None:
    outside.things["demo/a"] = 0
    person = as_operator.user
    token, _ = make_token(person, name="bot", agent=True)
    driven_clock.forward(1)
    asked = begin("fake.remove", by=principal_for(person, token))
    assert asked.state == OperationState.AWAITING_APPROVAL
    driven_clock.forward(1)
    if taken in ("revoked", "made again"):
        token.delete()
    if taken == "made again":
        again, _ = make_token(person, name="bot", agent=True)
        ApiToken.objects.filter(pk=again.pk).update(created=driven_clock.now())
    if taken == "ended":
        ApiToken.objects.update(expiry=driven_clock.now())
    if taken == "demoted":
        users.set_role(as_admin, person, Role.VIEWER, channel="web")
    if taken == "limited":
        users.set_accounts(as_admin, person, ["222233334444"], channel="web")
    if taken == "shut out":
        User.objects.filter(pk=person.pk).update(is_active=False)
    before = Operation.objects.values().get()
    with pytest.raises(Problem) as refused:
        approve(asked, as_admin)
    assert (refused.value.status, refused.value.code, refused.value.detail) == (409, "asker_may_not", said)
    assert refused.value.hint.startswith("Refuse it.")
    assert Operation.objects.values().get() == before
    refuse(asked, as_admin)
    drive()
    assert (asked.state, outside.calls) == (OperationState.REFUSED, [])


def test_an_asker_who_is_shut_out_while_the_plan_is_made_is_heard(
    asked: Operation, as_admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = actions.find("fake.remove").plan

    def shut_out_meanwhile(*given: Any) -> Plan:
        User.objects.filter(pk=asked.actor_id).update(is_active=False)
        return plan(*given)

    monkeypatch.setattr(actions.find("fake.remove"), "plan", shut_out_meanwhile)
    assert code_of(lambda: approve(asked, as_admin)) == "asker_may_not"
    asked.refresh_from_db()
    assert (asked.state, asked.decided_by) == (OperationState.AWAITING_APPROVAL, None)


def test_an_approval_of_a_plan_that_has_changed_is_asked_again(asked: Operation, as_operator: Principal, outside: Outside) -> None:
    outside.things["x"] = 0
    assert code_of(lambda: approve(asked, as_operator)) == "plan_changed"
    asked.refresh_from_db()
    assert asked.state == OperationState.AWAITING_APPROVAL
    approve(asked, as_operator)
    assert asked.state == OperationState.RECORDED


def test_a_question_that_nobody_answers_expires(asked: Operation, as_operator: Principal, driven_clock: DrivenClock) -> None:
    driven_clock.forward(23 * 3600)
    assert expire_approvals() == 0
    driven_clock.forward(2 * 3600)
    assert expire_approvals() == 1
    asked.refresh_from_db()
    assert (asked.state, asked.message) == (OperationState.EXPIRED, "Nobody approved it within 24 hours.")
    assert submit("fake.make", {"name": "demo"}, as_operator, channel="api").operation, "the lock is free"


def test_an_outcome_that_a_person_knows_lets_it_go_on(undecided: Operation, as_admin: Principal, outside: Outside) -> None:
    resolve(undecided, as_admin, "succeeded", "I saw it restart.")
    drive(undecided)
    undecided.refresh_from_db()
    assert undecided.state == OperationState.SUCCEEDED
    assert [name for _, name, _ in outside.calls] == ["demo/a", "demo/b"], "the first is not sent again"
    assert list(undecided.intents.values_list("step", "outcome")) == [("a", "succeeded"), ("b", "succeeded")]


def test_an_outcome_that_a_person_denies_fails_it(undecided: Operation, as_admin: Principal, outside: Outside) -> None:
    resolve(undecided, as_admin, "failed", "Nothing happened.")
    assert (undecided.state, undecided.error_code) == (OperationState.FAILED, "resolved_as_failed")
    drive()
    assert len(outside.calls) == 1
    assert list(undecided.intents.values_list("outcome", flat=True)) == ["failed"]


def test_an_unknown_outcome_keeps_the_lock_and_asks_whoever_may_decide(undecided: Operation, as_admin: Principal) -> None:
    assert code_of(lambda: submit("fake.make", {"name": "demo"}, as_admin, channel="api")) == "operation_in_progress"
    notification = Notification.objects.get(kind="decision_asked")
    assert (notification.role, notification.operation) == (Role.ADMIN, undecided)
    assert fakes.finished == []


def test_only_a_person_with_the_right_decides_an_outcome(undecided: Operation, as_operator: Principal, as_admin: Principal) -> None:
    assert code_of(lambda: resolve(undecided, as_operator, "failed", "")) == "role_too_low"
    assert code_of(lambda: resolve(undecided, principal_of(Role.ADMIN, agent=True), "failed", "")) == "agent_may_not_resolve"
    assert code_of(lambda: resolve(undecided, as_admin, "perhaps", "")) == "invalid_outcome"
    undecided.refresh_from_db()
    assert undecided.state == OperationState.UNKNOWN


def test_only_an_unknown_outcome_can_be_decided(begin: Begin, as_admin: Principal) -> None:
    operation = begin()
    for outcome in ("succeeded", "failed"):
        assert code_of(lambda outcome=outcome: resolve(operation, as_admin, outcome, "")) == "not_unknown"  # type: ignore[misc]
    operation.refresh_from_db()
    assert operation.state == OperationState.RECORDED


def test_a_retry_goes_on_where_the_failed_one_stopped(begin: Begin, as_operator: Principal, outside: Outside) -> None:
    outside.broken["b"] = fakes.TERMINAL
    failed = begin(things=["a", "b"])
    drive(failed)
    outside.broken.clear()
    failed.refresh_from_db()
    again = retry(failed, as_operator, "web").operation
    assert again is not None
    drive(again)
    again.refresh_from_db()
    assert again.state == OperationState.SUCCEEDED
    assert [name for _, name, _ in outside.calls] == ["demo/a", "demo/b"]
    assert (again.actor, again.channel) == (as_operator.user, "web")


def test_what_still_runs_or_went_well_is_not_tried_again(begin: Begin, as_operator: Principal) -> None:
    operation = begin()
    assert code_of(lambda: retry(operation, as_operator, "web")) == "not_retriable"
    drive(operation)
    operation.refresh_from_db()
    assert code_of(lambda: retry(operation, as_operator, "web")) == "not_retriable"
    assert Operation.objects.count() == 1


def test_the_actor_hears_how_it_ended_once(begin: Begin, as_admin: Principal) -> None:
    operation = begin("fake.pipeline", things=["a", "b"])
    drive(operation)
    notification = Notification.objects.get()
    assert (notification.kind, notification.user, notification.operation) == ("operation_ended", as_admin.user, operation)
    assert notification.title == "Make things in order (demo): succeeded"
