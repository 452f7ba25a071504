"""Replies that are lost, late or wrong: the world decides what happened, not the reply."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from operations.choices import OperationState
from operations.driver import drive
from operations.models import Intent, Operation
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
