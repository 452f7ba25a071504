"""Replies that are lost, late or wrong: the world decides what happened, not the reply."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.principal import Principal
from operations import clock
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Intent, Operation
from operations.step import Observation, Outcome, StepContext
from operations.submit import submit
from operations.tests.fakes import MakeStep, RebootStep
from operations.tests.world import Outside, OutsideError

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]


def lost() -> OutsideError:
    return OutsideError("Timeout", "no answer", None, None)


def broken() -> OutsideError:
    return OutsideError("InternalFailure", "oops", 500, True)


@pytest.mark.parametrize("reply", [lost, broken], ids=["lost", "500 after success"])
def test_a_call_whose_reply_is_lost_after_its_effect_is_settled_by_observing(
    reply: Callable[[], OutsideError], begin: Begin, outside: Outside
) -> None:
    outside.after = [reply()]
    operation = begin()
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert len(outside.calls) == 1, "not sent again"
    intent = Intent.objects.get()
    assert (intent.outcome, intent.error_code) == ("succeeded", "")


@pytest.mark.parametrize("reply", [lost, broken], ids=["lost", "500 before"])
def test_a_call_that_is_lost_before_its_effect_is_sent_again_under_the_same_token(
    reply: Callable[[], OutsideError], begin: Begin, outside: Outside
) -> None:
    outside.before = [reply(), reply()]
    operation = begin()
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert [token for _, _, token in outside.calls] == [f"is-{operation.pk.hex}-a-1"] * 3
    assert list(Intent.objects.values_list("attempt", "outcome")) == [(1, "unknown"), (1, "unknown"), (1, "succeeded")]


def test_a_call_that_certainly_failed_is_sent_again_under_a_new_token(begin: Begin, outside: Outside) -> None:
    outside.before = [OutsideError("ConflictException", "busy", 409)]
    outside.before[0].service = "eks"  # type: ignore[attr-defined]
    outside.before[0].code = "ResourceInUseException"  # type: ignore[attr-defined]
    operation = begin()
    drive(operation)
    assert [token.rpartition("-")[2] for _, _, token in outside.calls] == ["1", "2"]
    assert list(Intent.objects.values_list("attempt", "outcome")) == [(1, "failed"), (2, "succeeded")]


def test_a_call_that_certainly_was_not_sent_says_so(begin: Begin, outside: Outside) -> None:
    outside.before = [OutsideError("Unreachable", "refused", None, False)]
    drive(begin())
    assert list(Intent.objects.values_list("outcome", "error_code")) == [("failed", "Unreachable"), ("succeeded", "")]


def test_a_lost_reply_over_an_api_without_tokens_leaves_it_to_a_person(begin: Begin, outside: Outside) -> None:
    outside.before = [lost()]
    operation = begin("fake.reboot")
    drive(operation)
    operation.refresh_from_db()
    assert (operation.state, operation.error_code) == (OperationState.UNKNOWN, "outcome_unknown")
    assert len(outside.calls) == 1
    assert "fake:Reboot" in operation.error_message


def test_a_lost_reply_whose_effect_can_be_seen_needs_no_person(begin: Begin, outside: Outside) -> None:
    outside.after = [lost()]
    operation = begin("fake.reboot")
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert len(outside.calls) == 1


def test_a_reboot_that_succeeded_and_does_not_show_yet_is_waited_for_and_never_repeated(begin: Begin, outside: Outside) -> None:
    shown: list[str] = []

    def hide(name: str) -> None:
        outside.things.pop(name)
        shown.append(name)

    outside.during = hide
    operation = begin("fake.reboot")
    with pytest.raises(AssertionError, match="not there"):
        drive(operation, max_ticks=30)
    assert len(outside.calls) == 1
    outside.things["demo/a"] = 0
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert shown == ["demo/a"]


def test_an_expired_token_on_a_call_is_waited_out(begin: Begin, outside: Outside) -> None:
    outside.before = [OutsideError("ExpiredTokenException", "expired", 403)]
    operation = begin()
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert [name for name, _ in outside.made] == ["demo/a"]


def test_a_defect_of_ours_during_a_call_leaves_its_outcome_open_and_is_settled_by_observing(begin: Begin, outside: Outside) -> None:
    outside.after = [TypeError("a bug in apply")]
    operation = begin()
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert len(outside.calls) == 1


def reboot(as_admin: Principal) -> Operation:
    operation = submit("fake.reboot", {"name": "demo", "things": ["a"]}, as_admin, channel="api").operation
    assert operation is not None
    return operation


def test_an_effect_that_comes_into_view_late_settles_a_call_that_must_not_be_sent_again(
    as_admin: Principal, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RebootStep, "evidence_seconds", 120.0)
    outside.before = [lost()]
    operation = reboot(as_admin)

    def looks_on() -> bool:
        operation.refresh_from_db()
        return operation.waiting_for.startswith("Make a: no reply came")

    drive(looks_on, pass_time=False, on_idle=lambda: Operation.objects.update(next_attempt_at=clock.now()))
    assert operation.state == OperationState.RUNNING
    outside.things["demo/a"] = 0
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED
    assert len(outside.calls) == 1
    assert Intent.objects.get().outcome == "succeeded"


def test_a_call_that_must_not_be_sent_again_is_unknown_once_no_effect_can_come_into_view_any_more(
    as_admin: Principal, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RebootStep, "evidence_seconds", 120.0)
    outside.before = [lost()]
    operation = reboot(as_admin)
    drive(operation)
    operation.refresh_from_db()
    assert (operation.state, operation.error_code) == (OperationState.UNKNOWN, "outcome_unknown")
    assert len(outside.calls) == 1


def test_what_an_answer_said_is_kept_with_its_call_and_told_to_the_step(
    begin: Begin, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, object]] = []
    plainly = MakeStep.observe

    def observe(self: MakeStep, context: StepContext) -> Observation:
        told.append(dict(context.reply))
        return plainly(self, context)

    monkeypatch.setattr(MakeStep, "observe", observe)
    monkeypatch.setattr(MakeStep, "apply", lambda self, context, seen: Outcome(outside.make("demo/a", "t"), "", {"Failed": ["b"]}))
    operation = begin()
    drive(operation)
    assert Intent.objects.get().reply == {"Failed": ["b"]}
    assert (told[0], told[-1]) == ({}, {"Failed": ["b"]})
