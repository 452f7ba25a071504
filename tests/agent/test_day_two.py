"""What is done with a cluster that is there: a group added, a bad node replaced, a feature set, what was left behind deleted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.conftest import Begin, in_time
from tests.agent.interpreter import StoppedError, Watch
from tests.conftest import Running

pytestmark = [pytest.mark.kube, pytest.mark.xdist_group("stack")]
GROUP = {"group": "agents", "instance_type": "ml.g5.8xlarge", "count": 1, "capacity": "on-demand", "go_ahead": True, "cluster": "demo"}


def until(true: Callable[[], Any], what: str, seconds: float = 120) -> Any:
    """What the function finds, once it finds something. The product is another process: its clock can't be driven from here."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, f"{what} did not come about"
        time.sleep(0.2)
    return found


def settle(running: Running) -> None:
    """Waits for the look that sees the cluster whole: what an operation has just done is seen a moment after it ends."""
    until(lambda: running.api.get("/clusters/demo/")["state"] in ("ready", "degraded"), "the look that sees demo whole")


@pytest.fixture(autouse=True)
def _settled(running: Running) -> None:
    settle(running)


@pytest.fixture
def approver(running: Running) -> Callable[[str], None]:
    """Another person, who approves the operation of that id in the web, as the form of its page does."""
    running.api.call("POST", "/users/", {"username": "approver", "password": "a long enough sentence", "role": "operator"})

    def approve(operation: str) -> None:
        import requests

        with requests.Session() as browser:
            browser.get(f"{running.stack.url}/sign-in/", timeout=30)
            token = browser.cookies["csrftoken"]
            form = {"username": "approver", "password": "a long enough sentence", "csrfmiddlewaretoken": token}
            signed_in = browser.post(f"{running.stack.url}/sign-in/", data=form, timeout=30)
            assert signed_in.status_code == 200
            page = f"{running.stack.url}/operations/{operation}/"
            browser.get(page, timeout=30)
            form = {"csrfmiddlewaretoken": browser.cookies["csrftoken"], "reason": "It is broken."}
            answer = browser.post(f"{page}approve/", data=form, headers={"Referer": page}, timeout=30)
            assert answer.status_code == 200, answer.text[:2000]
        assert running.api.get(f"/operations/{operation}/")["state"] != "awaiting_approval"

    return approve


def approving(approver: Callable[[str], None]) -> Watch:
    """The person's part: approves what the agent finds waiting, once it has found it."""

    async def watch(step: str, answer: Any) -> None:
        waiting = [one["operation"] for one in answer.get("items", ()) if one.get("state") == "awaiting_approval"]
        if step == "going" and waiting:
            await asyncio.to_thread(approver, waiting[0])

    return watch


def test_a_group_is_added_and_a_second_run_finds_it_there(agent: Begin, running: Running) -> None:
    run = in_time(agent("adds", **GROUP).follow("add-cluster-instances"))
    assert run.said == ["agents in demo has 1 ml.g5.8xlarge nodes (on-demand) and is InService."]
    settle(running)
    again = in_time(agent("adds-again", **GROUP).follow("add-cluster-instances"))
    assert again.said == run.said
    assert [name for name, arguments in again.calls if name == "group_add" and not arguments.get("dry_run")] == []
    operations = running.api.get("/operations/?kind=group.add&cluster=demo")["results"]
    assert [operation["state"] for operation in operations] == ["succeeded"]


def test_a_bad_node_is_diagnosed_and_its_replacement_proposed_approved_by_another_and_done(
    agent: Begin, running: Running, approver: Callable[[str], None]
) -> None:
    nodes = running.api.get("/clusters/demo/nodes/?fields=key,group_name")["results"]
    node = next(one["key"] for one in nodes if one["group_name"] == "workers")
    speed(running, 1)  # HyperPod would replace it by itself soon
    strike(running, scenario="node_failure", instance_id=node)
    until(lambda: running.api.get(f"/clusters/demo/nodes/{node}/")["next_steps"], "the trouble of the node")
    told = in_time(agent("looks", cluster="demo", node=node).follow("diagnose-node"))
    assert told.said[-1].startswith(f"{node} (workers, ")
    assert "node_replace" in told.said[-1] or "replace" in told.said[-1]
    answers = {"cluster": "demo", "node": node, "go_ahead": True}
    with pytest.raises(StoppedError, match=r"The replacement is awaiting_approval\. .*A person must approve it"):
        in_time(agent("asks", **answers).follow("replace-node"))
    (asked,) = running.api.get("/operations/?kind=node.replace&cluster=demo")["results"]
    assert asked["state"] == "awaiting_approval"

    def approve_and_go_on(operation: str) -> None:
        approver(operation)
        speed(running, 240)

    run = in_time(agent("asks-again", **answers).follow("replace-node", watch=approving(approve_and_go_on)))
    assert run.said == [f"{node} was replaced; workers has 1 of 1 nodes."]
    done = running.api.get(f"/operations/{asked['id']}/")
    assert (done["state"], done["decided_by"]) == ("succeeded", "approver")


def speed(running: Running, times: float) -> None:
    reply = running.stack.http.request("POST", f"{running.stack.endpoint}/_sandbox/clock", json={"speed": times})
    assert reply.status == 200, reply.data


def strike(running: Running, **fault: Any) -> None:
    reply = running.stack.http.request("POST", f"{running.stack.endpoint}/_sandbox/faults", json=fault)
    assert reply.status == 200, reply.data


def test_a_cluster_is_diagnosed(agent: Begin) -> None:
    run = in_time(agent("doctor", cluster="demo").follow("diagnose-cluster"))
    assert run.said[-1].startswith("demo is ")


def test_a_feature_is_turned_on_and_off(agent: Begin) -> None:
    answers = {"cluster": "demo", "feature": "metrics_server", "go_ahead": True}
    on = in_time(agent("turns-on", **answers, enabled=True).follow("cluster-addons"))
    assert on.said == ["metrics_server on demo is active."]
    off = in_time(agent("turns-off", **answers, enabled=False).follow("cluster-addons"))
    assert off.said == ["metrics_server on demo is absent."]


def test_a_group_is_scaled_and_its_cluster_protected(agent: Begin, running: Running) -> None:
    in_time(agent("adds-first", **GROUP).follow("add-cluster-instances"))
    answers = {"cluster": "demo", "group": "agents", "count": 2, "go_ahead": True}
    run = in_time(agent("scales", **answers).follow("scale-and-protect"))
    assert run.said == ["agents in demo has 2 nodes; protected against deletion: yes."]
    assert running.api.get("/clusters/demo/")["deletion_protection"] is True
    running.api.call("PUT", "/clusters/demo/protection/", {"enabled": False})  # as other tests expect it


def test_where_capacity_can_come_from_is_found_out_and_nothing_changed(agent: Begin, running: Running) -> None:
    before = len(running.api.get("/operations/?limit=200")["results"])
    answers = {"instance_type": "ml.g5.8xlarge", "count": 2, "hours": 24}
    run = in_time(agent("plans", **answers).follow("capacity-planning"))
    assert run.said[-1].startswith("2 ml.g5.8xlarge: offered in us-west-2a")
    assert len(running.api.get("/operations/?limit=200")["results"]) == before


def test_what_was_left_behind_is_found_and_deleted_once_a_person_has_approved(
    agent: Begin, running: Running, approver: Callable[[str], None]
) -> None:
    orphan = leave_a_log_group(running)
    asking = agent("cleans", orphan=None, go_ahead=True)
    with pytest.raises(StoppedError, match="nothing is deleted"):
        in_time(asking.follow("clean-up"))
    (found,) = [one for one in running.api.get("/orphans/?kind=unclaimed")["results"] if one["name"] == orphan]
    answers = {"orphan": found["id"], "go_ahead": True}
    with pytest.raises(StoppedError, match="The deletion is awaiting_approval"):
        in_time(agent("cleans-on", **answers).follow("clean-up"))
    (asked,) = running.api.get("/operations/?kind=orphan.delete")["results"]
    run = in_time(agent("cleans-at-last", **answers).follow("clean-up", watch=approving(approver)))
    assert run.said[-1].endswith("is gone (not_found).")
    assert orphan in run.said[-1]
    done = running.api.get(f"/operations/{asked['id']}/")
    assert (done["state"], done["decided_by"]) == ("succeeded", "approver")
    assert running.api.call("GET", f"/orphans/{found['id']}/").status == 404


def leave_a_log_group(running: Running) -> str:
    """A log group with the tags of a cluster that there is not. Returns its name."""
    import boto3

    environment = running.stack.environment
    logs = boto3.client(
        "logs",
        region_name="us-west-2",
        endpoint_url=running.stack.endpoint,
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
    )
    name = "/aws/eks/long-gone/cluster"
    logs.create_log_group(logGroupName=name, tags={"instantstart:cluster": "long-gone"})
    return name


SKILLS = [
    "add-cluster-instances",
    "capacity-planning",
    "clean-up",
    "cluster-addons",
    "create-cluster-pipeline",
    "diagnose-cluster",
    "diagnose-node",
    "replace-node",
    "scale-and-protect",
]


def test_every_skill_that_is_served_is_run_here_or_beside(agent: Begin, running: Running) -> None:
    assert [one["name"] for one in running.api.get("/skills/")["results"]] == SKILLS
