"""Instance groups of a standing cluster: added, scaled and deleted by minimal calls, and refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from accounts.principals import principal_for
from clusters.models import Cluster, ClusterEvent, InstanceGroup
from clusters.reading.reader import ClusterReader
from clusters.tests.driving import begin, failure, run
from clusters.tests.groups.standing import Standing
from instantstart.problem import Problem
from operations.choices import OperationState, Severity
from operations.driver import drive
from operations.models import Alert, Operation
from operations.plan import Plan
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CPU = "ml.m5.xlarge"


def plan(who: User, kind: str, **raw: Any) -> Plan:
    return submit(kind, {"name": "demo", **raw}, principal_for(who), channel="api", dry_run=True).plan


def refusals(found: Plan) -> dict[str, str]:
    return {check.code: check.field for check in found.checks if check.severity == Severity.ERROR}


def done(standing: Standing, who: User, kind: str, **raw: Any) -> Operation:
    operation = run(standing.sandbox, who, kind, name="demo", **raw)
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    return operation


def pod(name: str, node: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": "busybox", "command": ["sleep", "100000"]}]},
    }


def test_a_groups_life_takes_one_call_a_change_and_none_where_nothing_changes(standing: Standing, operator: User) -> None:
    wanted = {
        "groups": [
            {"name": "cpu", "instance_type": CPU, "count": 2},
            {"name": "spot", "instance_type": CPU, "count": 0, "capacity": "spot"},
        ]
    }
    found = plan(operator, "group.add", **wanted)
    assert refusals(found) == {}
    assert [(change.name, change.action) for change in found.changes] == [("demo/cpu", "create"), ("demo/spot", "create")]
    done(standing, operator, "group.add", **wanted)
    assert standing.counts() == {"workers": 1, "cpu": 2, "spot": 0}
    assert standing.writes() == ["UpdateCluster"]
    standing.mark()

    again = submit("group.add", {"name": "demo", **wanted}, principal_for(operator), channel="api")
    assert (again.changed, again.operation) == (False, None)
    same = submit("group.scale", {"name": "demo", "group": "cpu", "count": 2}, principal_for(operator), channel="api")
    assert (same.changed, same.operation) == (False, None)
    assert standing.writes() == []

    done(standing, operator, "group.scale", group="cpu", count=3)
    assert (standing.counts()["cpu"], standing.writes()) == (3, ["BatchAddClusterNodes"])
    standing.mark()

    # One of the three runs something: the idle ones go, and nobody is asked.
    busy = standing.nodes("cpu")[0]["InstanceId"]
    api = ClusterReader("demo", "us-west-2").kube
    assert api is not None
    api.apply(pod("thesis", f"hyperpod-{busy}"))
    found = plan(operator, "group.scale", group="cpu", count=1)
    assert refusals(found) == {}
    assert sorted(found.basis["nodes"]) == sorted(node["InstanceId"] for node in standing.nodes("cpu") if node["InstanceId"] != busy)
    done(standing, operator, "group.scale", group="cpu", count=1)
    assert [node["InstanceId"] for node in standing.nodes("cpu")] == [busy]
    assert standing.writes() == ["BatchDeleteClusterNodes"]
    standing.mark()

    # The last one: its work is named, and one must say so.
    found = plan(operator, "group.scale", group="cpu", count=0)
    assert refusals(found) == {"work_runs": "disrupt"}
    assert "no_node_left" not in [check.code for check in found.checks]
    assert "Pod default/thesis" in next(check.detail for check in found.checks if check.code == "work_runs")
    assert refusals(plan(operator, "group.delete", group="cpu")) == {"confirmation_missing": "confirm", "work_runs": "disrupt"}
    done(standing, operator, "group.scale", group="cpu", count=0, disrupt=True)
    assert (standing.counts()["cpu"], standing.nodes("cpu")) == (0, [])
    standing.mark()
    done(standing, operator, "group.scale", group="cpu", count=1)
    standing.mark()

    for name in ("cpu", "spot"):
        done(standing, operator, "group.delete", group=name, confirm=name)
    assert standing.counts() == {"workers": 1}
    assert standing.writes() == ["UpdateCluster", "UpdateCluster"]

    # The last group of all: what the cluster itself needs nodes for would stop.
    emptied = plan(operator, "group.scale", group="workers", count=0)
    assert [(check.code, check.severity) for check in emptied.checks if check.code == "no_node_left"] == [("no_node_left", "warning")]
    with pytest.raises(Problem) as gone:
        plan(operator, "group.scale", group="cpu", count=1)
    assert (gone.value.status, gone.value.code) == (404, "group_not_found")


def test_a_group_that_does_not_fit_is_refused_with_its_field(standing: Standing, operator: User) -> None:
    def refused(**group: Any) -> dict[str, str]:
        return refusals(plan(operator, "group.add", groups=[{"name": "fine", "instance_type": CPU}, {"name": "new", **group}]))

    assert refused(name="workers", count=2) == {"group_exists": "groups.1.name"}
    assert refused(instance_type="ml.nonsense.large") == {"instance_type_unknown": "groups.1.instance_type"}
    assert refused(count=2000)["quota_too_low"] == "groups.1.count"
    assert refused(subnet="subnet-0123456789abcdef0")["subnet_not_found"] == "groups.1.subnet"
    assert refused(instance_type=CPU, deep_health_checks=["InstanceStress"]) != {}
    arn = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/none-there"
    assert refused(capacity="training-plan", training_plan_arn=arn)["training_plan_not_found"] == "groups.1.training_plan_arn"
    assert standing.writes() == []


def test_every_field_of_a_new_group_reaches_hyperpod_and_several_volumes_are_kept_by_a_change_of_one(
    standing: Standing, operator: User
) -> None:
    key = "arn:aws:kms:us-west-2:123456789012:key/12345678-1234-1234-1234-123456789012"
    volumes = [{"root": True, "kms_key": key}, {"size_gb": 100, "kms_key": key}, {"size_gb": 200}]
    rich = {
        "name": "rich",
        "instance_type": CPU,
        "further_types": ["ml.m5.2xlarge", "ml.c5.2xlarge"],
        "count": 0,
        "minimum": 0,
        "volumes": volumes,
        "image_id": "ami-0123456789abcdef0",
        "labels": {"team": "red"},
        "taints": [{"key": "team", "value": "red", "effect": "NoSchedule"}],
    }
    found = plan(operator, "group.add", groups=[rich])
    assert (refusals(found), [check.field for check in found.checks if check.code == "several_data_volumes"]) == ({}, ["groups.0.volumes"])
    done(standing, operator, "group.add", groups=[rich])
    [made] = [one for one in standing.describe()["InstanceGroups"] if one["InstanceGroupName"] == "rich"]
    assert made["InstanceRequirements"]["DesiredInstanceTypes"] == [CPU, "ml.m5.2xlarge", "ml.c5.2xlarge"]
    assert [one["EbsVolumeConfig"] for one in made["InstanceStorageConfigs"]] == [
        {"VolumeKmsKeyId": key, "RootVolume": True},
        {"VolumeSizeInGB": 100, "VolumeKmsKeyId": key},
        {"VolumeSizeInGB": 200},
    ]
    assert (made["ThreadsPerCore"], made["CurrentImageId"]) == (1, "ami-0123456789abcdef0")
    assert made["KubernetesConfig"]["DesiredLabels"] == {"team": "red"}
    assert [taint["Key"] for taint in made["KubernetesConfig"]["DesiredTaints"]] == ["team"]
    again = submit("group.add", {"name": "demo", "groups": [rich]}, principal_for(operator), channel="api")
    assert again.changed is False

    done(standing, operator, "group.update", group="rich", volume_gb=150)
    [made] = [one for one in standing.describe()["InstanceGroups"] if one["InstanceGroupName"] == "rich"]
    assert [one["EbsVolumeConfig"].get("VolumeSizeInGB") for one in made["InstanceStorageConfigs"]] == [None, 150, 200]
    done(standing, operator, "group.delete", group="rich", confirm="rich")

    def refused(**group: Any) -> dict[str, str]:
        return refusals(plan(operator, "group.add", groups=[{"name": "new", "instance_type": CPU, "count": 0, **group}]))

    assert refused(volumes=[*volumes, {"size_gb": 1}, {"size_gb": 1}]) == {"too_many_volumes": "groups.0.volumes"}
    assert refused(volumes=[{"root": True}]) == {"root_volume_without_key": "groups.0.volumes"}
    assert refused(further_types=["ml.nonsense.large"]) == {"instance_type_unknown": "groups.0.further_types.0"}


def test_partial_capacity_is_told_with_its_reason(standing: Standing, operator: User) -> None:
    standing.sandbox.fault(scenario="capacity_shortage", instance_type=CPU, available=1)
    operation = begin(operator, "group.add", name="demo", groups=[{"name": "few", "instance_type": CPU, "count": 3}])

    def told() -> bool:
        operation.refresh_from_db()
        return "asked for 3, got 1" in operation.waiting_for and "capacity" in operation.waiting_for

    drive(told, max_ticks=300, on_idle=standing.sandbox.forward)
    row = Cluster.objects.get()
    drive(lambda: row.events.filter(group_name="few", code="insufficient_capacity").exists(), max_ticks=50)
    group = row.groups.get(name="few")
    assert (group.target_count, group.current_count) == (3, 1)
    drive(lambda: Alert.objects.filter(kind="capacity_partial", closed_at=None).exists(), max_ticks=50)
    alert = Alert.objects.get(kind="capacity_partial")
    assert alert.sentence.startswith("Group few of demo asked for 3 nodes and has 1. HyperPod: ")
    standing.sandbox.no_faults()
    drive(operation, max_ticks=3000, on_idle=standing.sandbox.forward)  # Kubernetes keeps its own time on a busy machine
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    drive(lambda: not Alert.objects.filter(kind="capacity_partial", closed_at=None).exists(), max_ticks=50)
    done(standing, operator, "group.delete", group="few", confirm="few")


def test_what_is_fixed_at_creation_is_refused_with_the_way_round_and_the_rest_is_sent_alone(standing: Standing, operator: User) -> None:
    found = plan(operator, "group.update", group="workers", instance_type=CPU, capacity="spot", volume_gb=200)
    assert [(check.code, check.field) for check in found.checks] == [
        ("group_field_fixed", "instance_type"),
        ("group_field_fixed", "capacity"),
    ]
    assert "HyperPod can't change the capacity mode of workers" in found.checks[1].detail
    assert "delete it" in found.checks[1].fix
    [instead] = json.loads(found.documents["add-instead.json"])["groups"]
    assert (instead["name"], instead["instance_type"], instead["capacity"], instead["volume_gb"]) == ("workers-2", CPU, "spot", 200)
    same = submit("group.update", {"name": "demo", "group": "workers", "volume_gb": 500}, principal_for(operator), channel="api")
    assert (same.changed, standing.writes()) == (False, [])

    done(standing, operator, "group.update", group="workers", labels={"team": "red"})
    [group] = standing.describe()["InstanceGroups"]
    assert (group["KubernetesConfig"]["DesiredLabels"], group["TargetCount"]) == ({"team": "red"}, 1)
    assert standing.writes() == ["UpdateCluster"]


def test_groups_through_rest_and_a_partial_one_says_why(standing: Standing, operator: User, api: Callable[..., APIClient]) -> None:
    client = api(operator)
    row = Cluster.objects.get()
    short = InstanceGroup.objects.create(
        cluster=row,
        name="few",
        instance_type=CPU,
        capacity="spot",
        status="InService",
        current_count=11,
        target_count=16,
        observed_at=row.observed_at,
    )
    ClusterEvent.objects.create(
        cluster=row,
        event_id="1",
        at=row.observed_at,
        level="Error",
        group_name=short.name,
        description="No capacity",
        code="insufficient_capacity",
    )
    shown = client.get("/api/v1/clusters/demo/groups/few/").json()
    assert (shown["target_count"], shown["current_count"], shown["missing"]) == (16, 11, 5)
    assert [reason["code"] for reason in shown["reasons"]] == ["insufficient_capacity"]

    url = "/api/v1/clusters/demo/groups/workers/"
    planned = client.patch(f"{url}?dry_run=true", {"count": 2}, format="json")
    assert (planned.status_code, planned.json()["changes"][0]["fields"]) == (200, [{"field": "count", "before": 1, "after": 2}])
    refused = client.patch(url, {"capacity": "spot"}, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "capacity")
    missing = client.delete("/api/v1/clusters/demo/groups/nothing/?confirm=nothing")
    assert (missing.status_code, missing.json()["code"]) == (404, "group_not_found")
    asked = client.post("/api/v1/clusters/demo/groups/?dry_run=true", {"groups": [{"name": "cpu", "instance_type": CPU}]}, format="json")
    assert (asked.status_code, asked.json()["kind"]) == (200, "group.add")
    assert standing.writes() == []
