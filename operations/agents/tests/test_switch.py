"""The one switch that stops all agents: by every door, at once, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.choices import Role
from accounts.models import ApiToken, AuditEntry, User
from accounts.principal import Principal
from instantstart.problem import Problem
from instantstart.tests.doors import MakeView, call
from operations.agents import rules, switch
from operations.approve import approve, refuse
from operations.choices import OperationState
from operations.dispatcher import Dispatcher
from operations.driver import drive, work
from operations.models import AgentRules, Operation
from operations.submit import submit
from operations.tests.conftest import DrivenClock, principal_of
from operations.tests.world import Outside

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(Problem) as caught:
        call()
    return caught.value.code


def test_while_agents_are_stopped_no_agent_writes_and_people_go_on(
    operator: User, api: Any, make_token: Any, as_admin: Principal, as_agent: Principal
) -> None:
    _, secret = make_token(operator, agent=True)
    _, own = make_token(operator)
    switch.stop(as_admin, "Something is odd.", channel="web")
    answer = call(MakeView, "post", "/", secret, {"name": "demo"})
    assert (answer.status_code, answer.data["code"]) == (403, "agents_stopped")
    assert "by the admin" in answer.data["detail"] and "only an administrator starts agents again" in answer.data["hint"]
    assert code_of(lambda: submit("fake.make", {"name": "demo"}, as_agent, channel="api")) == "agents_stopped", "by the way in itself"
    answer = api(operator, agent=True).post("/api/v1/alerts/1/acknowledge/")
    assert answer.json()["code"] == "agents_stopped", "what is no operation is a write as well"
    assert Operation.objects.count() == 0
    assert call(MakeView, "post", "/?dry_run=true", secret, {"name": "demo"}).status_code == 200, "a plan writes nothing"
    assert api(operator, agent=True).get("/api/v1/operations/").status_code == 200
    assert call(MakeView, "post", "/", own, {"name": "demo"}).status_code == 202
    assert AuditEntry.objects.filter(code="agents_stopped", outcome="refused").count() == 3
    switch.start(as_admin, channel="web")
    assert call(MakeView, "post", "/", secret, {"name": "other"}).status_code == 202


def test_what_an_agent_asked_can_not_be_approved_while_agents_are_stopped_but_refused(
    begin: Begin, as_agent: Principal, as_admin: Principal, outside: Outside
) -> None:
    outside.things["demo/a"] = 0
    asked = begin("fake.remove", by=as_agent)
    switch.stop(as_admin, channel="web")
    assert code_of(lambda: approve(asked, as_admin)) == "agents_stopped"
    client = Client()
    client.force_login(as_admin.user)
    page = client.get(reverse("operations-web:detail", args=[asked.pk])).content.decode()
    assert "it can only be refused" in page and "</svg>Approve</button>" not in page and "</svg>Refuse</button>" in page
    asked.refresh_from_db()
    assert (asked.state, asked.decided_by) == (OperationState.AWAITING_APPROVAL, None)
    assert refuse(asked, as_admin).state == OperationState.REFUSED


def test_what_has_not_begun_is_held_and_begins_when_agents_are_started_and_what_runs_goes_on(
    begin: Begin, as_agent: Principal, as_admin: Principal, outside: Outside, driven_clock: DrivenClock
) -> None:
    running = begin("fake.pipeline", by=as_agent, name="runs", things=["a", "b"])
    outside.looks_until_ready = 2
    work(Dispatcher(name="one"))
    running.refresh_from_db()
    assert running.state == OperationState.RUNNING
    held = begin(by=as_agent, name="held")
    begin(name="person")
    switch.stop(as_admin, channel="web")
    dispatcher = Dispatcher(name="two")
    for _ in range(8):
        driven_clock.forward(60)
        work(dispatcher)
    states = {row.subject: row.state for row in Operation.objects.filter(parent=None)}
    assert states == {"runs": "succeeded", "held": "recorded", "person": "succeeded"}
    held.refresh_from_db()
    assert held.waiting_for.startswith("Held: all agents are stopped.") and held.started_at is None
    switch.start(as_admin, channel="web")
    drive(held)
    held.refresh_from_db()
    assert held.state == OperationState.SUCCEEDED


def test_a_held_operation_can_be_cancelled_by_a_person(begin: Begin, as_agent: Principal, as_admin: Principal, operator: User) -> None:
    held = begin(by=as_agent)
    switch.stop(as_admin, channel="web")
    client = Client()
    client.force_login(operator)
    client.post(reverse("operations-web:cancel", args=[held.pk]))
    work(Dispatcher(name="one"))
    held.refresh_from_db()
    assert held.state == OperationState.CANCELLED


def test_every_page_says_that_agents_are_stopped_and_who_stopped_them_and_why(viewer: User, as_admin: Principal) -> None:
    client = Client()
    client.force_login(viewer)
    pages = [reverse("operations-web:list"), reverse("agents-web:approvals"), reverse("alerts-web:list")]
    assert all("agents-stopped" not in client.get(page).content.decode() for page in pages)
    switch.stop(as_admin, "<b>odd</b>", channel="web")
    for page in pages:
        text = client.get(page).content.decode()
        assert "All agents are stopped since" in text and "by the admin" in text and "<q>&lt;b&gt;odd&lt;/b&gt;</q>" in text


def test_the_switch_is_on_the_trail_once_and_said_again_changes_nothing(as_admin: Principal) -> None:
    for _ in range(2):
        switch.stop(as_admin, "Odd.", channel="web")
    for _ in range(2):
        switch.start(as_admin, channel="api")
    entries = AuditEntry.objects.order_by("id").values_list("action", "username", "channel", "detail", "outcome")
    assert list(entries) == [
        ("agents.stop", "the admin", "web", "Odd.", "accepted"),
        ("agents.start", "the admin", "api", "", "accepted"),
    ]


def test_the_command_line_stops_starts_and_tells(db: None) -> None:
    def said(*words: str) -> str:
        out = StringIO()
        call_command("agents", *words, stdout=out)
        return out.getvalue()

    assert said("status").startswith("Agents may write;")
    assert "by the command line" in said("stop", "--reason", "Odd.")
    assert (rules.current().stopped, rules.current().stop_reason) == (True, "Odd.")
    assert "Reason: Odd." in said("status")
    assert said("start").startswith("Agents may write;")
    assert AuditEntry.objects.filter(username="the command line").count() == 2


def test_by_rest_an_admin_stops_and_starts_and_a_dry_run_only_shows(admin_person: User, api: Any) -> None:
    client = api(admin_person)
    plan = client.post("/api/v1/agents/stop/?dry_run=true", {"reason": "Odd."}).json()
    assert [field["field"] for field in plan["changes"][0]["fields"]] == ["stopped", "stop_reason"]
    assert not rules.current().stopped
    body = client.post("/api/v1/agents/stop/", {"reason": "Odd."}).json()
    assert (body["stopped"], body["stopped_by"], body["stop_reason"], body["held"]) == (True, "admin", "Odd.", 0)
    assert client.post("/api/v1/agents/stop/", {}).json()["changed"] is False
    assert client.post("/api/v1/agents/start/").json()["stopped"] is False
    body = client.patch("/api/v1/agents/", {"approval_cost_per_hour": 50}, format="json").json()
    assert (body["approval_cost_per_hour"], body["approval_cost_is_setting"], body["approval_hours"]) == (50.0, False, 24.0)


def test_the_pages_and_the_admin_site_throw_the_switch(admin_person: User) -> None:
    client = Client()
    client.force_login(admin_person)
    client.post(reverse("agents-web:stop"), {"reason": "Odd."})
    assert rules.current().stopped_by == "admin"
    client.post(reverse("agents-web:cost"), {"approval_cost_per_hour": "12.5"})
    assert rules.current().approval_cost_per_hour == 12.5
    answer = client.post(reverse("agents-web:cost"), {"approval_cost_per_hour": "-1"})
    assert (answer.status_code, rules.current().approval_cost_per_hour) == (422, 12.5)
    url = reverse("admin:operations_agentrules_changelist")
    for verb, stopped in (("start", False), ("stop", True)):
        client.post(url, {"action": verb, "_selected_action": [AgentRules.ONE]})
        assert rules.current().stopped is stopped
    client.post(url, {"action": "ask_by_the_setting", "_selected_action": [AgentRules.ONE]})
    assert rules.current().approval_cost_per_hour is None


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"agent": True}, "agent_token"),
        ({"read_only": True}, "read_only_token"),
        ({"role": Role.OPERATOR}, "role_too_low"),
        ({"clusters": frozenset({"demo"})}, "exceeds_rights"),
    ],
)
def test_only_an_admin_who_is_a_person_with_all_rights_decides_about_agents(db: None, limits: dict[str, Any], code: str) -> None:
    who = principal_of(**{"role": Role.ADMIN, **limits})
    assert code_of(lambda: switch.stop(who, channel="api")) == code
    assert code_of(lambda: switch.start(who, channel="api")) == code
    assert code_of(lambda: switch.set_approval_cost(who, 1.0, channel="api")) == code
    assert not AgentRules.objects.exists()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "operations/{asked}/approve/", {}),
        ("post", "operations/{asked}/refuse/", {}),
        ("post", "agents/stop/", {}),
        ("post", "agents/start/", {}),
        ("patch", "agents/", {"approval_cost_per_hour": 1000}),
        ("post", "tokens/", {"name": "another"}),
        ("delete", "tokens/{token}/", None),
        ("post", "users/", {"username": "nora", "password": "a long enough sentence"}),
        ("post", "webhooks/", {"url": "https://example.com/new"}),
    ],
)
def test_a_token_marked_agent_decides_nothing_and_makes_no_way_around_it(
    begin: Begin, as_agent: Principal, admin_person: User, api: Any, make_token: Any, outside: Outside, method: str, path: str, body: Any
) -> None:
    outside.things["demo/a"] = 0
    asked = begin("fake.remove", by=as_agent)
    token, _ = make_token(admin_person, agent=True, name="the agent's own")
    client = api(admin_person, agent=True)
    before = (ApiToken.objects.count(), User.objects.count(), AgentRules.objects.count())
    url = "/api/v1/" + path.format(asked=asked.pk, token=token.uid)
    answer = getattr(client, method)(url, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "agent_may_not_approve" if "operations" in path else "agent_token")
    asked.refresh_from_db()
    assert (asked.state, asked.decided_by) == (OperationState.AWAITING_APPROVAL, None)
    assert (ApiToken.objects.count(), User.objects.count(), AgentRules.objects.count()) == before
