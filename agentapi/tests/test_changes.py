"""What tools change: only after a look, once for each key, with the caller's rights and no others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from accounts.choices import Role
from accounts.models import ApiToken, AuditEntry, User
from agentapi.tests.calling import call, told
from agentapi.until import holds
from clusters.models import Cluster
from clusters.tests.rows import make_cluster
from clusters.tests.sandbox import Sandbox
from conftest import make_user
from operations import look_first
from operations.models import Operation, ShownPlan

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., tuple[ApiToken, str]]
NEW = {"name": "fresh", "instance_type": "ml.g5.8xlarge", "count": 1}


@pytest.fixture
def secret(operator: User, make_token: Make) -> str:
    return make_token(operator, agent=True, name="robot")[1]


def test_a_cluster_is_planned_then_made_once_for_each_key(sandbox: Sandbox, secret: str) -> None:
    blind = call(secret, "cluster_create", **NEW)["error"]
    assert blind["code"] == "plan_required"
    assert blind["call_next"] == {"tool": "cluster_create", "arguments": {**NEW, "dry_run": True}}
    assert not Operation.objects.exists()

    look, text = told(secret, "cluster_create", **NEW, dry_run=True)
    plan = look["plan"]
    assert text.startswith("Nothing is done yet. To do it, call cluster_create again with this plan_fingerprint.")
    assert plan["changed"] is True and plan["counts"]["create"] > 10
    assert plan["cost_now"] == "0.00 USD/h" and plan["typical"].endswith("min")
    assert not Operation.objects.exists()

    arguments = {**NEW, "plan_fingerprint": plan["fingerprint"], "operation_key": "first", "reason": "Für die Nacht"}
    made = call(secret, "cluster_create", **arguments)
    operation = Operation.objects.get(parent=None)
    assert (made["operation"], made["state"], made["repeated"]) == (str(operation.pk), "recorded", False)
    assert made["verify"] == {"tool": "cluster_get", "arguments": {"cluster": "fresh"}, "until": "state is ready"}
    assert made["next"] == {"tool": "operation_wait", "arguments": {"operation": str(operation.pk)}}
    assert (operation.channel, operation.token_name, operation.kind) == ("mcp", "robot", "cluster.create")
    assert operation.reason == "Für die Nacht"
    assert AuditEntry.objects.filter(action="cluster.create", outcome="accepted").get().channel == "mcp"

    again = call(secret, "cluster_create", **arguments)
    assert (again["operation"], again["repeated"]) == (str(operation.pk), True)
    assert Operation.objects.filter(parent=None).count() == 1
    other = call(secret, "cluster_create", **{**arguments, "count": 2})["error"]
    assert other["code"] == "idempotency_key_reused"

    waited = call(secret, "operation_wait", operation=made["operation"], seconds=0)
    assert (waited["state"], waited["ended"], waited["next"]["tool"]) == ("recorded", False, "operation_wait")
    assert waited["remaining"].startswith("about ")
    shown = call(secret, made["verify"]["tool"], **made["verify"]["arguments"])
    assert holds(made["verify"]["until"], shown) is False and shown["operation"]["id"] == made["operation"]
    cancelled = call(secret, "operation_cancel", operation=made["operation"], operation_key="stop")
    assert cancelled["state"] in ("cancelling", "cancelled")


def test_a_look_counts_ten_minutes_and_for_the_token_that_looked(sandbox: Sandbox, secret: str, operator: User, make_token: Make) -> None:
    seen = call(secret, "cluster_create", **NEW, dry_run=True)["plan"]["fingerprint"]
    another = make_token(operator, agent=True)[1]
    assert call(another, "cluster_create", **NEW, plan_fingerprint=seen)["error"]["code"] == "plan_too_old"
    row = ShownPlan.objects.get()
    ShownPlan.objects.update(at=row.at - timedelta(minutes=look_first.MINUTES, seconds=1))
    late = call(secret, "cluster_create", **NEW, plan_fingerprint=seen)["error"]
    assert late["code"] == "plan_too_old" and late["call_next"]["arguments"]["dry_run"] is True
    assert not Operation.objects.exists()


def test_who_may_not_is_told_whom_to_ask_and_nothing_changes(sandbox: Sandbox, make_token: Make) -> None:
    cases = [
        (make_token(make_user(Role.VIEWER), agent=True)[1], "role_too_low"),
        (make_token(make_user(Role.OPERATOR), agent=True, read_only=True)[1], "read_only_token"),
        (make_token(make_user(Role.ADMIN), agent=True, clusters=["other"])[1], "cluster_not_allowed"),
    ]
    for token, code in cases:
        error = call(token, "cluster_create", **NEW, dry_run=True)["error"]
        assert (error["code"], error["call_next"]) == (code, None)
        assert "Stop, and tell the person" in error["fix"]
    assert not Operation.objects.exists() and not Cluster.objects.exists()


def test_a_preference_is_safe_and_needs_no_look(secret: str) -> None:
    make_cluster("demo")
    make_cluster("other")
    unnamed = call(secret, "cluster_get")["error"]
    assert (unnamed["code"], unnamed["call_next"]["tool"]) == ("cluster_not_named", "cluster_list")
    made = call(secret, "cluster_prefer", cluster="other")
    assert made["changed"] is True
    assert holds(made["verify"]["until"], call(secret, made["verify"]["tool"], **made["verify"]["arguments"]))
    taken = call(secret, "cluster_get")
    assert (taken["cluster"], taken["cluster_taken"]) == ("other", "the preferred one")
    assert call(secret, "cluster_prefer", cluster="other")["changed"] is False


def test_what_is_not_there_and_what_is_misspelt_lead_on(secret: str) -> None:
    missing = call(secret, "cluster_get", cluster="nowhere")["error"]
    assert (missing["code"], missing["call_next"]) == ("not_found", {"tool": "cluster_list", "arguments": {}})
    wrong = call(secret, "cluster_list", limit=0, colour="red")["error"]
    assert wrong["code"] == "invalid_arguments"
    assert {one["field"] for one in wrong["errors"]} == {"limit", "colour"}
    unknown = call(secret, "cluster_list", where={"colour": "red"})["error"]
    assert unknown["code"] == "unknown_parameter" and "state" in unknown["fix"]
    assert call(secret, "cluster_list", where={"limit": 3})["error"]["code"] == "no_filter"
