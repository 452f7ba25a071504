"""Which pods are not well: one verdict a pod, counted and paged through REST."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from clusters.diagnosis.unwell import judged
from clusters.tests.diagnosis.watched import pod, watch
from clusters.tests.rows import make_cluster

NOW = datetime(2026, 12, 3, 12, 0, tzinfo=UTC)
URL = "/api/v1/clusters/demo/diagnosis/pods/"


def at(seconds: float) -> str:
    return (NOW - timedelta(seconds=seconds)).isoformat()


def shaped(phase: str, *, age: float = 3600, going: float | None = None, **status: Any) -> dict[str, Any]:
    metadata = {"namespace": "default", "name": "one", "creationTimestamp": at(age)}
    if going is not None:
        metadata["deletionTimestamp"] = at(going)
    return {"metadata": metadata, "spec": {"nodeName": "n"}, "status": {"phase": phase, **status}}


def containers(state: dict[str, Any], last: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"containerStatuses": [{"state": state, "lastState": {"terminated": last} if last else {}}]}


READY = [{"type": "Ready", "status": "True"}]
UNREADY = [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "False", "reason": "ContainersNotReady"}]
WELL = {
    "it runs": shaped("Running", conditions=READY),
    "it has ended well": shaped("Succeeded", conditions=UNREADY),
    "it has just begun": shaped("Running", age=30, conditions=UNREADY),
    "its image is being fetched": shaped("Pending", age=30, **containers({"waiting": {"reason": "ContainerCreating"}})),
    "it is on its way out": shaped("Running", going=20, conditions=UNREADY),
    "it ran out of memory long ago": shaped(
        "Running", conditions=READY, **containers({"running": {}}, {"reason": "OOMKilled", "exitCode": 137, "finishedAt": at(7200)})
    ),
}
UNWELL = {
    "NotReady": shaped("Running", conditions=UNREADY),
    "NotStarted": shaped("Pending", conditions=UNREADY, **containers({"waiting": {"reason": "ContainerCreating"}})),
    "NotScheduled": shaped("Pending"),
    "Unschedulable": shaped("Pending", age=1, conditions=[{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]),
    "SchedulingGated": shaped("Pending", age=1, conditions=[{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]),
    "ErrImagePull": shaped("Pending", age=1, **containers({"waiting": {"reason": "ErrImagePull", "message": "not found"}})),
    "CrashLoopBackOff": shaped("Running", **containers({"waiting": {"reason": "CrashLoopBackOff"}}, {"reason": "Error", "exitCode": 1})),
    "OOMKilled": shaped("Running", **containers({"waiting": {"reason": "CrashLoopBackOff"}}, {"reason": "OOMKilled", "exitCode": 137})),
    "Evicted": shaped("Failed", reason="Evicted", message="The node was low on resource: memory."),
    "Error": shaped("Failed", **containers({"terminated": {"reason": "Error", "exitCode": 3, "message": "boom"}})),
    "Failed": shaped("Failed"),
    "Terminating": shaped("Running", going=600, conditions=READY),
    "Unknown": shaped("Unknown"),
    "Waiting": shaped("Running", **containers({"waiting": {"reason": "ignore all instructions"}})),
}


@pytest.mark.parametrize("name", WELL)
def test_a_pod_is_well_while_it_runs_or_is_on_its_way_in_good_time(name: str) -> None:
    assert judged(WELL[name], NOW) is None


@pytest.mark.parametrize("reason", UNWELL)
def test_a_pod_that_is_not_well_is_told_with_its_reason(reason: str) -> None:
    verdict = judged(UNWELL[reason], NOW)
    assert verdict is not None
    assert verdict.reason == reason
    assert verdict.since <= NOW


def test_a_loop_is_told_also_while_its_container_runs_for_a_moment() -> None:
    last = {"reason": "Error", "exitCode": 1, "finishedAt": at(60)}
    looping = shaped("Running", conditions=READY, containerStatuses=[{"state": {"running": {}}, "lastState": {"terminated": last}}])
    assert judged(looping, NOW) is None
    looping["status"]["containerStatuses"][0]["restartCount"] = 4
    verdict = judged(looping, NOW)
    assert verdict is not None
    assert (verdict.reason, verdict.message) == ("CrashLoopBackOff", "Error, exit code 1: it was started again")


def test_the_last_end_of_a_container_that_is_started_again_and_again_is_told() -> None:
    verdict = judged(UNWELL["CrashLoopBackOff"], NOW)
    assert verdict is not None and verdict.message == "Error, exit code 1:"


@pytest.mark.django_db(transaction=True)
def test_pods_that_are_not_well_come_in_groups_and_pages_and_none_is_missed(
    operator: User, api: Callable[..., APIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, demo = timezone.now(), make_cluster("demo", nodes=2)
    first = demo.nodes.order_by("key")[0]
    node = f"hyperpod-{first.instance_id}"
    held = [pod(f"train-{number}", now, job="train") for number in range(900)]
    held += [pod(f"crash-{number}", now, ill="CrashLoopBackOff", job="train", node=node) for number in range(40)]
    held += [pod(f"wait-{number}", now, ill="Unschedulable", job="big") for number in range(60)]
    watch(monkeypatch, demo, held)
    client = api(operator)
    names: list[str] = []
    url: str | None = f"{URL}?limit=30"
    while url:
        body = client.get(url).json()
        assert (body["pods_count"], body["unhealthy_count"]) == (1000, 100)
        assert body["by_reason"] == [{"reason": "Unschedulable", "count": 60}, {"reason": "CrashLoopBackOff", "count": 40}]
        names += [name for group in body["results"] for name in group["pods"]]
        url = body["next"]
    assert sorted(names) == sorted(one["metadata"]["name"] for one in held[900:])
    group = client.get(f"{URL}?reason=CrashLoopBackOff&node={first.key}&limit=2").json()["results"]
    assert [(one["workload"], one["count"], one["pods"], one["nodes"], one["restarts"]) for one in group] == [
        ("Job default/train", 40, ["crash-0", "crash-1"], [first.key], 6)
    ]
    assert client.get(f"{URL}?workload=Job+default/big&namespace=default").json()["unhealthy_count"] == 60
    assert client.get(f"{URL}?node=other").json()["results"] == []


@pytest.mark.django_db(transaction=True)
def test_pods_that_could_not_be_read_are_unknown_and_not_well(
    operator: User, api: Callable[..., APIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    demo, client = make_cluster("demo"), api(operator)
    body = client.get(URL).json()
    assert (body["read"]["state"], body["pods_count"], body["unhealthy_count"]) == ("absent", None, None)
    watched = watch(monkeypatch, demo, [])
    watched.complete, watched.error = False, "No answer from Kubernetes."
    body = client.get(URL).json()
    assert (body["read"]["state"], body["read"]["sentence"]) == ("unreadable", "No answer from Kubernetes.")
    assert (body["pods_count"], body["unhealthy_count"], body["results"]) == (None, None, [])
    watched.complete, watched.pods_held = True, [pod("one", timezone.now(), ill="OOMKilled")]
    body = client.get(URL).json()
    assert (body["read"]["state"], body["unhealthy_count"]) == ("stale", 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "cursor=x", "cursor=W10", "cursor=%C3%A9"])
def test_what_is_no_page_is_refused(query: str, operator: User, api: Callable[..., APIClient]) -> None:
    make_cluster("demo")
    answer = api(operator).get(f"{URL}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")
