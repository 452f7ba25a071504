"""Operations through REST and through the admin site: the same decisions, the same rules, on the trail."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from accounts.choices import AuditOutcome, Role
from accounts.models import AuditEntry, User
from accounts.principal import Principal
from conftest import make_user
from instantstart.problem import Problem
from operations.choices import OperationState
from operations.models import Event, Operation
from operations.submit import submit

DETAIL = "/api/v1/operations/{}/"


@pytest.fixture
def person(db: None) -> User:
    return make_user(Role.OPERATOR, "petra")


@pytest.fixture
def client_of_person(person, api) -> Any:
    return api(person)


def submitted(principal: Principal, kind: str = "fake.make", **more: Any) -> Operation:
    made = submit(kind, {"name": "demo", **more}, principal, channel="api").operation
    assert made is not None
    return made


def test_the_detail_shows_plan_steps_error_and_how_to_verify(as_operator, client_of_person):
    made = submitted(as_operator, things=["a", "b"])
    Operation.objects.filter(pk=made.pk).update(
        state=OperationState.FAILED, error_code="quota", error_message="No more.", error_hint="Ask AWS.", error_category="terminal"
    )
    body = client_of_person.get(DETAIL.format(made.pk)).json()
    assert (body["actor"], body["state"], body["ended"], body["channel"]) == ("the operator", "failed", True, "api")
    assert [step["name"] for step in body["steps"]] == ["a", "b"]
    assert [change["name"] for change in body["plan"]["changes"]] == ["demo/a", "demo/b"]
    assert body["error"] == {"code": "quota", "message": "No more.", "hint": "Ask AWS.", "category": "terminal"}
    assert body["verify"] == {"href": "/things/demo/", "until": "ready"}
    (row,) = client_of_person.get("/api/v1/operations/").json()["results"]
    assert "plan" not in row and "facts" not in row and row["id"] == body["id"]


def test_the_detail_of_an_action_that_is_no_more_can_still_be_read(as_operator, client_of_person):
    made = submitted(as_operator)
    Operation.objects.filter(pk=made.pk).update(kind="earlier.release")
    assert client_of_person.get(DETAIL.format(made.pk)).json()["verify"] is None


def test_events_are_told_in_order_and_after_a_given_one(as_operator, client_of_person):
    made = submitted(as_operator)
    first = Event.objects.get(operation=made)
    second = Event.objects.create(operation=made, at=first.at, code="seen", message="Seen.")
    url = DETAIL.format(made.pk) + "events/"
    assert [row["id"] for row in client_of_person.get(url).json()["results"]] == [first.pk, second.pk]
    assert [row["code"] for row in client_of_person.get(f"{url}?after={first.pk}").json()["results"]] == ["seen"]


def test_cancel_is_shown_first_then_done_and_on_the_trail(as_operator, person, client_of_person):
    made = submitted(as_operator)
    url = DETAIL.format(made.pk) + "cancel/"
    plan = client_of_person.post(f"{url}?dry_run=true").json()
    assert plan["changes"][0]["fields"] == [{"field": "state", "before": "recorded", "after": "cancelling"}]
    made.refresh_from_db()
    assert made.state == OperationState.RECORDED
    answer = client_of_person.post(f"{url}?plan_fingerprint={plan['fingerprint']}")
    assert (answer.status_code, answer.json()["state"], answer["Location"]) == (202, "cancelling", DETAIL.format(made.pk))
    entry = AuditEntry.objects.get(action="operation.cancel")
    assert (entry.user, entry.subject, entry.operation, entry.channel, entry.outcome) == (
        person,
        "cluster:demo",
        made.pk,
        "api",
        AuditOutcome.ACCEPTED,
    )
    stale = client_of_person.post(f"{url}?plan_fingerprint={plan['fingerprint']}")
    assert (stale.status_code, stale.json()["code"]) == (409, "plan_changed")


def test_a_decision_on_what_has_ended_is_refused_and_on_the_trail(as_operator, client_of_person):
    made = submitted(as_operator)
    Operation.objects.filter(pk=made.pk).update(state=OperationState.SUCCEEDED)
    for verb, code in (("cancel", "operation_ended"), ("approve", "not_awaiting_approval"), ("retry", "not_retriable")):
        answer = client_of_person.post(DETAIL.format(made.pk) + f"{verb}/", {})
        assert (answer.status_code, answer.json()["code"]) == (409, code)
    codes = set(AuditEntry.objects.filter(outcome=AuditOutcome.REFUSED).values_list("code", flat=True))
    assert codes >= {"operation_ended", "not_awaiting_approval"}


def test_what_would_be_refused_is_refused_when_it_is_only_tried(as_operator, person, client_of_person, api):
    made = submitted(as_operator)
    url = DETAIL.format(made.pk)
    bodies = {"approve": {}, "refuse": {"reason": "no"}, "resolve": {"outcome": "failed", "reason": "seen"}}
    for verb, code in (("approve", "not_awaiting_approval"), ("refuse", "not_awaiting_approval"), ("resolve", "not_unknown")):
        answer = client_of_person.post(f"{url}{verb}/?dry_run=true", bodies[verb], format="json")
        assert (answer.status_code, answer.json()["code"]) == (409, code)
    Operation.objects.filter(pk=made.pk).update(state=OperationState.AWAITING_APPROVAL)
    for verb, code in (("approve", "agent_may_not_approve"), ("refuse", "agent_may_not_approve"), ("resolve", "agent_may_not_resolve")):
        answer = api(person, agent=True).post(f"{url}{verb}/?dry_run=true", bodies[verb], format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, code)
    plan = client_of_person.post(f"{url}approve/?dry_run=true", {}, format="json").json()
    assert plan["changes"][0]["fields"] == [{"field": "state", "before": "awaiting_approval", "after": "recorded"}]
    made.refresh_from_db()
    assert made.state == OperationState.AWAITING_APPROVAL
    Operation.objects.filter(pk=made.pk).update(state=OperationState.SUCCEEDED)
    answer = client_of_person.post(f"{url}cancel/?dry_run=true")
    assert (answer.status_code, answer.json()["code"]) == (409, "operation_ended")


def test_retry_makes_a_new_operation_once_per_key(as_operator, client_of_person):
    made = submitted(as_operator)
    Operation.objects.filter(pk=made.pk).update(state=OperationState.FAILED)
    url = DETAIL.format(made.pk) + "retry/"
    assert client_of_person.post(f"{url}?dry_run=true").json()["kind"] == "fake.make"
    assert Operation.objects.count() == 1
    answers = [client_of_person.post(url, HTTP_IDEMPOTENCY_KEY="again") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json()["id"] == answers[1].json()["id"] != str(made.pk)
    assert Operation.objects.count() == 2


def test_an_agents_destructive_operation_waits_for_a_person_and_no_agent_decides(person, client_of_person, api, make_token):
    from accounts.principals import principal_for

    token, _ = make_token(person, agent=True)
    agent = principal_for(person, token)
    with pytest.raises(Problem) as blind:
        submitted(agent, "fake.remove")
    assert (blind.value.code, Operation.objects.count()) == ("plan_required", 0)
    seen = submit("fake.remove", {"name": "demo"}, agent, channel="api", dry_run=True).plan.fingerprint
    made = submit("fake.remove", {"name": "demo"}, agent, channel="api", plan_fingerprint=seen).operation
    assert made.state == OperationState.AWAITING_APPROVAL
    url = DETAIL.format(made.pk)
    answer = api(person, agent=True).post(f"{url}approve/", {})
    assert (answer.status_code, answer.json()["code"]) == (403, "agent_may_not_approve")
    answer = client_of_person.post(f"{url}approve/", {"reason": "I know."})
    assert (answer.status_code, answer.json()["state"], answer.json()["decided_by"]) == (202, "recorded", "petra")


def test_who_asked_is_on_the_trail_by_door_and_token(as_operator, person, make_token):
    from accounts.principals import principal_for

    token, _ = make_token(person, name="nightly")
    made = submitted(principal_for(person, token))
    entry = AuditEntry.objects.get(action="fake.make")
    assert (entry.user, entry.token_name, entry.channel, entry.subject, entry.operation) == (
        person,
        "nightly",
        "api",
        "cluster:demo",
        made.pk,
    )


# --- the admin site ---


@pytest.fixture
def admin_client(client, db) -> Any:
    client.force_login(make_user(Role.ADMIN, "anna"))
    return client


def act(client: Any, verb: str, *operations: Operation) -> str:
    url = reverse("admin:operations_operation_changelist")
    answer = client.post(url, {"action": verb, "_selected_action": [str(row.pk) for row in operations]}, follow=True)
    return " ".join(str(message) for message in answer.context["messages"])


def test_the_admin_site_cancels_and_retries_by_the_same_rules(as_operator, admin_client):
    made = submitted(as_operator)
    assert act(admin_client, "cancel", made) == "1 cancelled, or on the way there."
    made.refresh_from_db()
    assert made.state == OperationState.CANCELLING
    assert "only failed, cancelled and expired ones" in act(admin_client, "retry", made)
    Operation.objects.update(state=OperationState.CANCELLED)
    assert act(admin_client, "retry", made) == "1 tried again."
    retried = Operation.objects.exclude(pk=made.pk).get()
    assert (retried.channel, retried.actor.username) == ("admin", "anna")
    assert set(AuditEntry.objects.filter(user__username="anna").values_list("action", "channel")) >= {
        ("operation.cancel", "admin"),
        ("fake.make", "admin"),
    }


@pytest.mark.parametrize(
    "model",
    [
        "accounts_user",
        "accounts_apitoken",
        "accounts_auditentry",
        "accounts_preference",
        "accounts_signinattempt",
        "instantstart_idempotencyrecord",
        "operations_operation",
        "operations_intent",
        "operations_event",
        "operations_notification",
        "operations_observedsource",
        "operations_statusevent",
        "operations_heartbeat",
    ],
)
def test_every_row_can_be_looked_at_and_none_edited_by_hand(model, as_operator, admin_client):
    submitted(as_operator)
    assert admin_client.get(reverse(f"admin:{model}_changelist")).status_code == 200
    assert admin_client.get(reverse(f"admin:{model}_add")).status_code == 403


def test_the_page_of_an_operation_shows_its_lines_and_no_form(as_operator, admin_client):
    made = submitted(as_operator)
    page = admin_client.get(reverse("admin:operations_operation_change", args=[made.pk]))
    assert b"asked by" in page.content and b'name="_save"' not in page.content
    assert admin_client.post(reverse("admin:operations_operation_change", args=[made.pk]), {"state": "succeeded"}).status_code == 403
    made.refresh_from_db()
    assert made.state == OperationState.RECORDED


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_only_admins_enter_the_admin_site(client, db, role):
    client.force_login(make_user(role))
    assert client.get(reverse("admin:index")).status_code == 302
