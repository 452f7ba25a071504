"""An agent's changes of a cluster that stands, in the sandbox, from the plan to the condition that verifies them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import ApiToken, User
from accounts.principals import principal_for
from agentapi.tests.calling import call
from agentapi.until import holds
from clusters.tests.driving import failure
from clusters.tests.groups.conftest import standing, standing_once  # noqa: F401  (fixtures)
from clusters.tests.groups.standing import Standing
from operations.approve import approve
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation
from operations.observing import find_observer

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
Make = Callable[..., tuple[ApiToken, str]]
CPU = "ml.m5.xlarge"


def done(field: Standing, person: User, secret: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """Looks, changes, has it approved where an agent may not alone, drives it to its end, and holds what verifies it."""
    fingerprint = call(secret, tool, **arguments, dry_run=True)["plan"]["fingerprint"]
    given = {**arguments, "plan_fingerprint": fingerprint, "operation_key": f"{tool} {len(arguments)}"}
    made = call(secret, tool, **given)
    assert "error" not in made, made
    operation = Operation.objects.get(pk=made["operation"])
    if made["state"] == "awaiting_approval":
        approve(operation, principal_for(person), reason="Looked at.")
        operation.refresh_from_db()
    drive(operation, max_ticks=3000, on_idle=lambda: field.sandbox.forward("next"))
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    writes = field.writes()
    again = call(secret, tool, **given)
    assert (again["operation"], again["repeated"], field.writes()) == (made["operation"], True, writes)
    find_observer("cluster").observe("demo")
    verify = made["verify"]
    shown = call(secret, verify["tool"], **verify["arguments"])
    assert holds(verify["until"], shown), (verify, shown)
    return made


def test_an_agent_adds_scales_cordons_and_deletes_with_a_persons_word_where_something_goes(
    standing: Standing,  # noqa: F811  (the fixture)
    operator: User,
    admin_person: User,
    make_token: Make,
) -> None:
    secret = make_token(operator, agent=True)[1]
    added = done(standing, admin_person, secret, "group_add", group="cpu", instance_type=CPU, count=1)
    assert (added["state"], added["cluster"]) == ("recorded", "demo")
    node = call(secret, "node_list", where={"group": "cpu"})["items"][0]["node"]
    assert done(standing, admin_person, secret, "node_cordon", node=node)["state"] == "recorded"
    assert done(standing, admin_person, secret, "group_scale", group="cpu", count=2)["state"] == "recorded"
    gone = done(standing, admin_person, secret, "node_delete", cluster="demo", node=node)
    assert gone["state"] == "awaiting_approval"
    assert done(standing, admin_person, secret, "group_delete", cluster="demo", group="cpu")["state"] == "awaiting_approval"
    assert standing.counts() == {"workers": 1}
    assert {operation.channel for operation in Operation.objects.filter(parent=None).exclude(kind="cluster.create")} == {"mcp"}


def test_an_agent_makes_scales_and_deletes_an_eks_node_group(
    standing: Standing,  # noqa: F811  (the fixture)
    operator: User,
    admin_person: User,
    make_token: Make,
) -> None:
    secret = make_token(operator, agent=True)[1]
    assert done(standing, admin_person, secret, "node_group_create", node_group="cpu")["state"] == "recorded"
    assert done(standing, admin_person, secret, "node_group_scale", node_group="cpu", desired=2)["state"] == "recorded"
    shown = call(secret, "node_group_get", node_group="cpu")
    assert (shown["desired"], shown["ready"], len(shown["nodes"])) == (2, 2, 2)
    [listed] = call(secret, "node_group_list", where={"status": "ACTIVE"})["items"]
    assert (listed["node_group"], listed["ready"]) == (shown["node_group"], 2)
    gone = done(standing, admin_person, secret, "node_group_delete", cluster="demo", node_group="cpu")
    assert gone["state"] == "awaiting_approval"
