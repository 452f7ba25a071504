"""What of an agent waits for a person: what it costs, why it says it asks, who is told, and what becomes of it when the world moves."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, User
from accounts.principal import Principal
from instantstart.problem import Problem
from operations.agents import switch
from operations.alerts.tests.rows import make_webhook
from operations.approve import approve, expire_approvals, refuse
from operations.cancel import cancel
from operations.choices import OperationState
from operations.models import Delivery, Event, Notification, Operation
from operations.submit import submit
from operations.tests.conftest import DrivenClock
from operations.tests.world import Outside

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

DETAIL = "/api/v1/operations/{}/"
Begin = Callable[..., Operation]


def bought(who: Principal, cost: float | None, name: str = "demo") -> Operation:
    operation = submit("fake.buy", {"name": name, "cost": cost}, who, channel="api").operation
    assert operation is not None
    return operation


@pytest.fixture
def asked(begin: Begin, as_agent: Principal, outside: Outside) -> Operation:
    """An agent's destructive change, which waits for a person."""
    outside.things["demo/a"] = 0
    return begin("fake.remove", by=as_agent)


@pytest.fixture
def petra(operator: User) -> Client:
    """An operator at the browser."""
    client = Client()
    client.force_login(operator)
    return client


@pytest.mark.parametrize(
    ("cost", "because"),
    [
        (11.0, ""),
        (11.01, "It would add $10.01/h, and agents may add at most $10.00/h by themselves."),
        (0.5, ""),
        (None, "What it would add to the cost is not known, and agents may add at most $10.00/h by themselves."),
    ],
)
def test_an_agents_change_above_the_cost_that_is_set_waits_and_an_unknown_cost_counts_as_above(
    as_agent: Principal, as_admin: Principal, cost: float | None, because: str
) -> None:
    switch.set_approval_cost(as_admin, 10.0, channel="web")
    operation = bought(as_agent, cost)
    assert (operation.state, operation.asks_because) == ("awaiting_approval" if because else "recorded", because)
    assert bought(as_admin, cost, "other").state == OperationState.RECORDED, "a person is not asked"


def test_without_a_limit_only_what_is_destructive_waits_and_the_setting_gives_one(as_agent: Principal, settings: Any) -> None:
    assert bought(as_agent, None).state == OperationState.RECORDED
    settings.AGENT_COST_PER_HOUR = 5.0
    assert bought(as_agent, 7.0, "other").state == OperationState.AWAITING_APPROVAL
    assert submit("fake.make", {"name": "third"}, as_agent, channel="api").operation.state == "recorded"  # type: ignore[union-attr]


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf")])
def test_a_limit_that_is_no_amount_is_refused(as_admin: Principal, cost: float) -> None:
    with pytest.raises(Problem) as refused:
        switch.set_approval_cost(as_admin, cost, channel="web")
    assert (refused.value.status, [error.field for error in refused.value.errors]) == (422, ["approval_cost_per_hour"])


def test_the_agent_is_told_in_one_sentence_who_may_decide_until_when_and_to_stop(
    operator: User, api: Any, outside: Outside, as_agent: Principal, begin: Begin
) -> None:
    outside.things["demo/a"] = 0
    operation = begin("fake.remove", by=as_agent)
    until = operation.created_at + timedelta(hours=24)
    body = api(operator, agent=True).get(DETAIL.format(operation.pk)).json()
    assert body["waiting_for"] == (
        "Waits for a person to approve it: anybody of the role operator or above, signed in or with a token that is not marked agent, "
        f"until {until:%Y-%m-%d %H:%M} UTC. An agent stops here and says so."
    )
    assert body["approval"] == {
        "because": "It is destructive, and an agent asks.",
        "may_decide": "operator",
        "expires_at": until.isoformat().replace("+00:00", "Z"),
        "added_cost_per_hour": None,
        "decided_by": None,
        "decision_reason": "",
    }
    assert api(operator).get(DETAIL.format(begin("fake.make", name="other").pk)).json()["approval"] is None


def test_a_reason_is_kept_and_shown_quoted_as_the_callers_own_never_as_markup(
    asked: Operation, petra: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    Operation.objects.filter(pk=asked.pk).update(reason="</q><b>Approve at once</b>, the admin said so.")
    for url in (reverse("operations-web:detail", args=[asked.pk]), reverse("agents-web:approvals")):
        page = petra.get(url).content.decode()
        assert "&lt;/q&gt;&lt;b&gt;Approve at once&lt;/b&gt;, the admin said so.</q>" in page
        assert "<b>Approve" not in page


def test_a_call_carries_its_reason_in_a_header_of_at_most_500_printable_characters(operator: User, make_token: Any) -> None:
    from instantstart.tests.doors import MakeView, call

    _, secret = make_token(operator, agent=True)
    answer = call(MakeView, "post", "/", secret, {"name": "demo"}, **{"Operation-Reason": "Für die Nacht".encode().decode("latin-1")})
    assert answer.status_code == 202
    assert (answer.data["reason"], answer.data["agent"]) == ("Für die Nacht", True)
    for wrong in ("x" * 501, "a\x07bell"):
        answer = call(MakeView, "post", "/", secret, {"name": "other"}, **{"Operation-Reason": wrong})
        assert (answer.status_code, answer.data["code"]) == (400, "invalid_reason")
    assert Operation.objects.count() == 1


def test_a_world_that_has_changed_asks_both_sides_again_and_nothing_starts(
    asked: Operation, as_operator: Principal, outside: Outside
) -> None:
    webhook = make_webhook()
    before = asked.plan_fingerprint
    outside.things["x"] = 0
    with pytest.raises(Problem) as refused:
        approve(asked, as_operator)
    assert refused.value.code == "plan_changed"
    asked.refresh_from_db()
    assert (asked.state, asked.plan["basis"], asked.decided_by) == (OperationState.AWAITING_APPROVAL, {"seen": 2}, None)
    assert asked.plan_fingerprint != before
    assert Event.objects.filter(operation=asked).latest("id").code == "plan_changed"
    notes = Notification.objects.filter(operation=asked).order_by("id")
    assert [(note.kind, note.role, note.user) for note in notes] == [
        ("approval_asked", "operator", None),
        ("plan_changed", "", asked.actor),
    ]
    assert "with another plan" in notes[0].title and "with another plan" in notes[1].title
    told = json.loads(Delivery.objects.get(webhook=webhook).body)
    assert (told["type"], told["data"]["again"], told["data"]["plan_fingerprint"]) == ("approval.asked", True, asked.plan_fingerprint)


def test_who_looked_at_the_plan_before_it_changed_approves_nothing_else(asked: Operation, operator: User, petra: Client, api: Any) -> None:
    seen = asked.plan_fingerprint
    Operation.objects.filter(pk=asked.pk).update(plan_fingerprint="another by now")
    petra.post(reverse("operations-web:approve", args=[asked.pk]), {"plan_fingerprint": seen})
    answer = api(operator).post(DETAIL.format(asked.pk) + "approve/", {"plan_fingerprint": seen})
    assert (answer.status_code, answer.json()["code"]) == (409, "plan_changed")
    asked.refresh_from_db()
    assert (asked.state, asked.decided_by) == (OperationState.AWAITING_APPROVAL, None)


def test_the_page_lists_what_waits_with_plan_cost_and_who_asks_and_the_badge_counts_it(
    operator: User, admin_person: User, viewer: User, agent_of: Any, petra: Client, outside: Outside
) -> None:
    outside.things["demo/a"] = 0
    agent = agent_of(operator, name="nightly")
    seen = submit("fake.remove", {"name": "demo"}, agent, channel="api", dry_run=True).plan.fingerprint
    operation = submit("fake.remove", {"name": "demo"}, agent, channel="api", plan_fingerprint=seen, reason="It is idle.").operation
    assert operation is not None
    page = petra.get(reverse("agents-web:approvals")).content.decode()
    for text in ("Remove things (demo)", "Remove things demo", "unknown", "token nightly", "It is idle.", "It is destructive"):
        assert text in page
    assert 'data-approvals="1"' in page
    detail = petra.get(reverse("operations-web:detail", args=[operation.pk])).content.decode()
    for text in ("An agent of", "through the token nightly", "It is idle.", "What changes", "Expires", operation.plan_fingerprint):
        assert text in detail
    looker = Client()
    looker.force_login(viewer)
    page = looker.get(reverse("agents-web:approvals")).content.decode()
    assert "Your role may not decide about it." in page and "data-approvals" not in page
    petra.post(
        reverse("operations-web:refuse", args=[operation.pk]), {"reason": "It is not.", "plan_fingerprint": operation.plan_fingerprint}
    )
    assert "Nothing waits for a person" in petra.get(reverse("agents-web:approvals")).content.decode()


def test_who_is_limited_to_other_clusters_sees_neither_the_question_nor_its_number(asked: Operation, operator: User) -> None:
    operator.accounts = ["123412341234"]
    operator.save()
    client = Client()
    client.force_login(operator)
    page = client.get(reverse("agents-web:approvals")).content.decode()
    assert "Nothing waits for a person" in page and "data-approvals" not in page


def test_webhooks_that_want_approvals_are_told_of_the_question_and_of_its_end(
    as_agent: Principal, as_operator: Principal, begin: Begin, driven_clock: DrivenClock, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://ops.example.com"
    wants, does_not = make_webhook(), make_webhook("https://example.com/other")
    does_not.kinds = ["drift"]
    does_not.save()
    first, second, third, fourth = (
        submit("fake.remove", {"name": name}, as_agent, channel="api", reason="Idle.").operation for name in ("a", "b", "c", "d")
    )
    assert first and second and third and fourth
    approve(first, as_operator, "Go on.")
    refuse(second, as_operator, "Not today.")
    cancel(third, as_operator)
    driven_clock.forward(24 * 3600 + 1)
    assert expire_approvals() == 1
    rows = [json.loads(row.body) for row in Delivery.objects.filter(webhook=wants).order_by("created_at", "pk")]
    assert sorted((row["type"], row["data"]["subject"], row["data"].get("outcome")) for row in rows) == [
        ("approval.asked", "a", None),
        ("approval.asked", "b", None),
        ("approval.asked", "c", None),
        ("approval.asked", "d", None),
        ("approval.decided", "a", "approved"),
        ("approval.decided", "b", "refused"),
        ("approval.decided", "c", "cancelled"),
        ("approval.expired", "d", None),
    ]
    (question,) = (row["data"] for row in rows if row["type"] == "approval.asked" and row["data"]["subject"] == "a")
    assert (question["reason"], question["user"], question["agent"], question["may_decide"]) == ("Idle.", "the operator", True, "operator")
    assert question["url"] == f"https://ops.example.com/operations/{first.pk}/"
    assert not Delivery.objects.filter(webhook=does_not).exists()


def test_how_long_a_question_stands_is_a_setting_that_is_shown(
    as_agent: Principal, begin: Begin, driven_clock: DrivenClock, settings: Any, petra: Client
) -> None:
    settings.APPROVAL_HOURS = 2.0
    operation = begin("fake.remove", by=as_agent)
    until = operation.created_at + timedelta(hours=2)
    assert f"{until:%Y-%m-%d %H:%M} UTC" in petra.get(reverse("operations-web:detail", args=[operation.pk])).content.decode()
    driven_clock.forward(2 * 3600 - 1)
    assert expire_approvals() == 0
    driven_clock.forward(2)
    assert expire_approvals() == 1
    operation.refresh_from_db()
    assert (operation.state, operation.message) == (OperationState.EXPIRED, "Nobody approved it within 2 hours.")


def test_a_person_approves_with_a_session_or_an_unmarked_token_and_their_name_is_kept(asked: Operation, operator: User, api: Any) -> None:
    answer = api(operator).post(DETAIL.format(asked.pk) + "approve/", {"reason": "I looked.", "plan_fingerprint": asked.plan_fingerprint})
    assert answer.status_code == 202
    assert answer.json()["approval"] | {"expires_at": ""} == {
        "because": "It is destructive, and an agent asks.",
        "may_decide": "operator",
        "expires_at": "",
        "added_cost_per_hour": None,
        "decided_by": "operator",
        "decision_reason": "I looked.",
    }
    entry = AuditEntry.objects.get(action="operation.approve")
    assert (entry.username, entry.outcome, entry.operation) == ("operator", "accepted", asked.pk)
