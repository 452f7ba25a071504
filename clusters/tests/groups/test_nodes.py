"""Single nodes of a standing cluster: rebooted, replaced, deleted, cordoned and drained, each told by its instance id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from accounts.principals import principal_for
from clusters.models import Cluster
from clusters.reading.reader import ClusterReader
from clusters.tests.driving import begin, failure, run
from clusters.tests.groups.standing import Standing
from instantstart.kube.client import Kube
from instantstart.problem import Problem
from operations.choices import OperationState, Severity
from operations.driver import drive
from operations.models import Operation
from operations.plan import Plan
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CPU = "ml.m5.xlarge"


def reader() -> ClusterReader:
    return ClusterReader("demo", "us-west-2")


def kubernetes() -> Kube:
    api = reader().kube
    assert api is not None
    return api


def plan(who: User, kind: str, **raw: Any) -> Plan:
    return submit(kind, {"name": "demo", **raw}, principal_for(who), channel="api", dry_run=True).plan


def codes(found: Plan, severity: Severity = Severity.ERROR) -> list[str]:
    return [check.code for check in found.checks if check.severity == severity]


def done(standing: Standing, who: User, kind: str, **raw: Any) -> Operation:
    operation = run(standing.sandbox, who, kind, name="demo", **raw)
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    return operation


def worker(standing: Standing) -> str:
    [node] = standing.nodes("workers")
    return str(node["InstanceId"])


def boot_id(instance_id: str) -> str:
    return next(node.boot_id for node in reader().nodes if node.name == f"hyperpod-{instance_id}")


def deployment(name: str, node: str) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "main", "image": "busybox", "command": ["sleep", "100000"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [container], "nodeSelector": {"kubernetes.io/hostname": node}},
            },
        },
    }


def test_a_reboot_keeps_the_instance_and_a_replacement_brings_another(standing: Standing, operator: User) -> None:
    first = worker(standing)
    before = boot_id(first)
    done(standing, operator, "node.reboot", nodes=[first])
    assert (worker(standing), boot_id(first) != before) == (first, True)
    assert standing.writes() == ["BatchRebootClusterNodes"]
    standing.mark()
    found = plan(operator, "node.replace", nodes=[first])
    assert "disks" in found.irreversible[0].what
    done(standing, operator, "node.replace", nodes=[first])
    second = worker(standing)
    assert second != first
    assert standing.writes() == ["BatchReplaceClusterNodes"]
    with pytest.raises(Problem) as gone:
        plan(operator, "node.reboot", nodes=[first])
    assert (gone.value.status, gone.value.code, first in gone.value.detail) == (404, "node_not_found", True)


@pytest.mark.parametrize(("kind", "call"), [("node.reboot", "BatchRebootClusterNodes"), ("node.replace", "BatchReplaceClusterNodes")])
def test_without_an_answer_traces_decide_and_without_traces_nobody_sends_it_again(
    standing: Standing, operator: User, kind: str, call: str
) -> None:
    standing.sandbox.fault(kind="reply_lost", service="sagemaker", operation=call)
    done(standing, operator, kind, nodes=[worker(standing)])
    assert standing.writes() == [call]
    standing.mark()

    # The connection breaks before anything has happened, which nobody can tell from here.
    standing.sandbox.fault(kind="reset", service="sagemaker", operation=call)
    unknown = run(standing.sandbox, operator, kind, name="demo", nodes=[worker(standing)])
    assert (unknown.state, unknown.error_code) == (OperationState.UNKNOWN, "outcome_unknown"), failure(unknown)
    assert standing.writes() == [call]
    with pytest.raises(Problem) as refused:
        begin(operator, "node.drain", name="demo", nodes=[worker(standing)])
    assert refused.value.code == "operation_in_progress"


def test_nodes_that_hyperpod_refuses_are_told_one_by_one(standing: Standing, operator: User) -> None:
    done(standing, operator, "group.add", groups=[{"name": "two", "instance_type": CPU, "count": 2}])
    one, other = (str(node["InstanceId"]) for node in standing.nodes("two"))
    standing.mark()
    rebooting = begin(operator, "node.reboot", name="demo", nodes=[one, other])
    # Between plan and call somebody reboots one of the two.
    standing.aws.write("sagemaker", "batch_reboot_cluster_nodes", ClusterName="demo", NodeIds=[other])
    drive(rebooting, max_ticks=1000, on_idle=standing.sandbox.forward)
    rebooting.refresh_from_db()
    assert (rebooting.state, rebooting.error_code) == (OperationState.FAILED, "batch_refused"), failure(rebooting)
    assert "1 of 2 are back" in rebooting.error_message
    assert f"{other}: InvalidInstanceStatus" in rebooting.error_message

    standing.mark()
    done(standing, operator, "node.delete", nodes=[one])
    assert ([node["InstanceId"] for node in standing.nodes("two")], standing.counts()["two"]) == ([other], 1)
    assert standing.writes() == ["BatchDeleteClusterNodes"]
    done(standing, operator, "group.delete", group="two", confirm="two")


def test_a_drain_names_what_goes_and_waits_for_the_budget_that_holds_it(standing: Standing, operator: User) -> None:
    node = worker(standing)
    name = f"hyperpod-{node}"
    api = kubernetes()
    # Somewhere to go for what the cluster itself runs and keeps by budgets of its own.
    done(standing, operator, "group.add", groups=[{"name": "spare", "instance_type": CPU, "count": 1}])
    standing.mark()
    api.apply(deployment("web", name))
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "keep", "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    api.apply(budget)
    drive(
        lambda: any(pod.title == "Deployment default/web" and pod.phase == "Running" for pod in reader().pods),
        300,
        standing.sandbox.forward,
    )
    assert codes(plan(operator, "node.reboot", nodes=[node])) == ["work_runs"]
    found = plan(operator, "node.drain", nodes=[node])
    assert (codes(found), codes(found, Severity.WARNING)) == ([], ["disruption_budget"])
    assert "PodDisruptionBudget default/keep" in next(check.detail for check in found.checks if check.code == "disruption_budget")
    assert [change.name for change in found.changes if change.name.startswith("default/web")]

    draining = begin(operator, "node.drain", name="demo", nodes=[node])

    def held() -> bool:
        draining.refresh_from_db()
        return "PodDisruptionBudget default/keep" in draining.waiting_for

    drive(held, 300, standing.sandbox.forward)
    api.delete("policy/v1", "PodDisruptionBudget", "keep", "default")
    drive(draining, 500, standing.sandbox.forward)
    draining.refresh_from_db()
    assert draining.state == OperationState.SUCCEEDED, failure(draining)
    assert not any(pod.node == name and pod.work for pod in reader().pods)
    same = submit("node.cordon", {"name": "demo", "nodes": [node]}, principal_for(operator), channel="api")
    assert (same.changed, same.operation) == (False, None)
    api.delete("apps/v1", "Deployment", "web", "default")
    done(standing, operator, "node.cordon", nodes=[node], enabled=False)
    assert [one.schedulable for one in reader().nodes if one.name == name] == [True]
    assert standing.writes() == []
    done(standing, operator, "group.delete", group="spare", confirm="spare")


def test_nodes_through_rest(standing: Standing, operator: User, api: Callable[..., APIClient]) -> None:
    client, node = api(operator), worker(standing)
    drive(lambda: Cluster.objects.get().nodes.filter(key=node, ready=True).exists(), max_ticks=60)
    url = f"/api/v1/clusters/demo/nodes/{node}/"
    shown = client.get(url).json()
    assert (shown["instance_id"], shown["group_name"], shown["gpus"], shown["gpus_used"]) == (node, "workers", 1, 0)
    assert (shown["next_steps"], shown["operation"], shown["labels"]["sagemaker.amazonaws.com/instance-group-name"]) == (
        [],
        None,
        "workers",
    )
    begun = client.post(f"{url}reboot/", {}, format="json")
    assert begun.status_code == 202
    [listed] = client.get("/api/v1/clusters/demo/nodes/").json()["results"]
    assert listed["operation"]["kind"] == "node.reboot"
    refused = client.post("/api/v1/clusters/demo/nodes/batch/drain/", {"nodes": [node]}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "operation_in_progress")
    assert client.post(f"{url}explode/", {}, format="json").status_code == 404
    operation = Operation.objects.get(pk=begun.json()["id"])
    drive(operation, max_ticks=500, on_idle=standing.sandbox.forward)

    # A node on which the health monitoring finds a fault: what to do next is told in order.
    standing.sandbox.fault(scenario="node_failure", instance_id=node, count=1)
    drive(lambda: client.get(url).status_code == 404 or client.get(url).json()["next_steps"] != [], 300, standing.sandbox.forward)
    answer = client.get(url)
    if answer.status_code == 200:
        steps = [step["action"] for step in answer.json()["next_steps"]]
        assert steps == ["analyse", "replace"]
