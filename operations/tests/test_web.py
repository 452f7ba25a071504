"""The pages of operations: who sees which buttons, what each decision does, what the bell tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.choices import Role
from accounts.principal import Principal
from conftest import make_user
from operations.choices import OperationState
from operations.models import Notification, Operation
from operations.tests.world import Outside

pytestmark = pytest.mark.django_db

Begin = Callable[..., Operation]
DECISIONS = ("cancel", "retry", "approve", "refuse", "resolve")


@pytest.fixture
def signed_in() -> Callable[[Role], Client]:
    """signed_in(role): a browser of a person of that role."""

    def client(role: Role) -> Client:
        made = Client()
        made.force_login(make_user(role, f"{role.value} at the browser"))
        return made

    return client


def address(name: str, operation: Operation) -> str:
    return reverse(f"operations-web:{name}", args=[operation.pk])


def shown(client: Client, operation: Operation) -> str:
    response = client.get(address("detail", operation))
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def asked(begin: Begin, as_agent: Principal, outside: Outside) -> Operation:
    """An agent's destructive change, which waits for a person."""
    outside.things["demo/a"] = 0
    return begin("fake.remove", by=as_agent)


def test_a_viewer_sees_an_operation_without_buttons(begin: Begin, signed_in: Any) -> None:
    running = begin()
    page = shown(signed_in(Role.VIEWER), running)
    assert [decision for decision in DECISIONS if address(decision, running) in page] == []


def test_an_operator_may_cancel_what_runs_and_retry_what_failed(begin: Begin, signed_in: Any) -> None:
    running, client = begin(), signed_in(Role.OPERATOR)
    page = shown(client, running)
    assert [decision for decision in DECISIONS if address(decision, running) in page] == ["cancel"]
    Operation.objects.filter(pk=running.pk).update(state=OperationState.FAILED, error_message="No more.", error_hint="Ask AWS.")
    page = shown(client, running)
    assert [decision for decision in DECISIONS if address(decision, running) in page] == ["retry"]
    assert "No more." in page and "Ask AWS." in page


@pytest.mark.parametrize("decision", DECISIONS)
def test_what_a_viewer_sends_is_refused_and_changes_nothing(asked: Operation, signed_in: Any, decision: str) -> None:
    response = signed_in(Role.VIEWER).post(address(decision, asked), {"reason": "please", "outcome": "succeeded"})
    assert response.status_code == 403
    before = asked.state
    asked.refresh_from_db()
    assert (asked.state, asked.decided_by, Operation.objects.count()) == (before, None, 1)


def test_cancelling_from_the_page_asks_for_it(begin: Begin, signed_in: Any) -> None:
    running = begin()
    response = signed_in(Role.OPERATOR).post(address("cancel", running), follow=True)
    running.refresh_from_db()
    assert running.state == OperationState.CANCELLING
    assert response.redirect_chain == [(address("detail", running), 302)]
    assert "Cancelling: what is under way may end" in response.content.decode()


def test_an_approval_shows_the_plan_and_lets_the_change_start(asked: Operation, signed_in: Any) -> None:
    client = signed_in(Role.OPERATOR)
    page = shown(client, asked)
    assert "This waits for your word" in page and asked.plan["summary"] in page
    client.post(address("approve", asked), {"reason": "looked at it"})
    asked.refresh_from_db()
    assert (asked.state, asked.decision_reason) == (OperationState.RECORDED, "looked at it")


def test_a_refusal_ends_the_change_before_it_began(asked: Operation, signed_in: Any) -> None:
    signed_in(Role.OPERATOR).post(address("refuse", asked), {"reason": "not today"})
    asked.refresh_from_db()
    assert (asked.state, asked.decision_reason) == (OperationState.REFUSED, "not today")


@pytest.mark.parametrize(("outcome", "after"), [("succeeded", OperationState.RUNNING), ("failed", OperationState.FAILED)])
def test_a_person_says_how_an_operation_of_unknown_outcome_ended(begin: Begin, signed_in: Any, outcome: str, after: str) -> None:
    undecided, client = begin(), signed_in(Role.OPERATOR)
    Operation.objects.filter(pk=undecided.pk).update(state=OperationState.UNKNOWN, error_message="No answer came.")
    page = shown(client, undecided)
    assert "how this ended" in page and "No answer came." in page
    client.post(address("resolve", undecided), {"outcome": outcome, "reason": "I looked"})
    undecided.refresh_from_db()
    assert undecided.state == after


def test_a_decision_that_comes_too_late_is_explained(begin: Begin, signed_in: Any) -> None:
    ended = begin()
    Operation.objects.filter(pk=ended.pk).update(state=OperationState.SUCCEEDED)
    response = signed_in(Role.OPERATOR).post(address("cancel", ended), follow=True)
    assert "The operation is succeeded." in response.content.decode()


def test_an_operation_whose_action_is_no_more_is_shown_without_buttons(begin: Begin, signed_in: Any) -> None:
    old = begin()
    Operation.objects.filter(pk=old.pk).update(kind="earlier.release")
    page = shown(signed_in(Role.ADMIN), old)
    assert "earlier.release" in page and address("cancel", old) not in page


def test_the_list_shows_what_was_asked_for(begin: Begin, signed_in: Any) -> None:
    running = begin()
    client = signed_in(Role.VIEWER)
    page = client.get(reverse("operations-web:list"), {"state": "active"}).content.decode()
    assert address("detail", running) in page
    page = client.get(reverse("operations-web:list"), {"state": "failed"}).content.decode()
    assert address("detail", running) not in page and "Nothing matches." in page


def test_a_fragment_of_the_list_has_no_frame(begin: Begin, signed_in: Any) -> None:
    running = begin()
    page = signed_in(Role.VIEWER).get(reverse("operations-web:list"), headers={"HX-Request": "true"}).content.decode()
    assert address("detail", running) in page and "<html" not in page


def test_a_fragment_asked_for_without_a_session_sends_the_page_to_the_sign_in(db: None) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/operations/?state=failed"}
    response = Client().get(reverse("operations-web:list"), headers=headers)
    assert (response.status_code, response.headers["HX-Redirect"]) == (401, "/sign-in/?next=/operations/%3Fstate%3Dfailed")


def notify(operation: Operation, **fields: Any) -> Notification:
    from operations import clock

    return Notification.objects.create(kind="operation_ended", operation=operation, title="It ended", created_at=clock.now(), **fields)


def unread(client: Client) -> str:
    return client.get(reverse("operations-web:bell")).content.decode()


def test_the_bell_counts_ones_own_until_they_are_dismissed(begin: Begin) -> None:
    person, other = make_user(Role.VIEWER, "paul"), make_user(Role.VIEWER, "olga")
    first, second, foreign = (notify(begin(name=f"demo-{number}"), user=user) for number, user in enumerate((person, person, other)))
    client = Client()
    client.force_login(person)
    assert "2 unread notifications" in unread(client)
    client.post(reverse("operations-web:dismiss"), {"id": first.pk})
    client.post(reverse("operations-web:dismiss"), {"id": foreign.pk})
    assert "1 unread notification" in unread(client)
    client.post(reverse("operations-web:dismiss"))
    assert "unread" not in unread(client)
    read = dict(Notification.objects.filter(pk__in=[first.pk, second.pk, foreign.pk]).values_list("pk", "read_at"))
    assert read[first.pk] is not None and read[second.pk] is not None and read[foreign.pk] is None


def test_a_question_to_a_role_rings_for_those_who_may_answer_until_somebody_did(asked: Operation, signed_in: Any) -> None:
    operator, viewer = signed_in(Role.OPERATOR), signed_in(Role.VIEWER)
    assert "1 unread notification" in unread(operator) and "unread" not in unread(viewer)
    operator.post(reverse("operations-web:dismiss"))
    assert "1 unread notification" in unread(operator), "looking at it answers nothing"
    page = operator.get(reverse("operations-web:notifications")).content.decode()
    assert "Decide" in page
    operator.post(address("refuse", asked), {"reason": "no"})
    assert "unread" not in unread(operator)
