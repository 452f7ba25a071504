"""What can't be changed of a group is had by another one like it: planned, with its work named, in REST and on the page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from clusters.groups import change
from clusters.models import Cluster
from clusters.reading.hyperpod import GroupReading
from clusters.reading.reader import ClusterReader
from clusters.spec import Capacity
from clusters.tests.groups.standing import Standing
from clusters.tests.groups.test_groups import done, plan, pod, refusals
from clusters.tests.groups.test_pages import HOME, hidden, signed_in
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation
from operations.plan import FieldChange

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CPU, LARGER = "ml.m5.xlarge", "ml.m5.2xlarge"


def test_a_group_is_replaced_by_one_like_it_that_its_work_can_move_to(
    standing: Standing, operator: User, api: Callable[..., APIClient]
) -> None:
    done(standing, operator, "group.add", groups=[{"name": "cpu", "instance_type": CPU, "labels": {"team": "red"}}])
    drive(lambda: Cluster.objects.get().groups.filter(name="cpu").exists(), max_ticks=60)
    [node] = standing.nodes("cpu")
    kube = ClusterReader("demo", "us-west-2").kube
    assert kube is not None
    kube.apply(pod("thesis", f"hyperpod-{node['InstanceId']}"))
    standing.mark()

    refused = plan(operator, "group.update", group="cpu", instance_type=LARGER)
    assert "/groups/cpu/replacement/" in refused.errors[0].fix
    found = plan(operator, "group.replace", group="cpu", instance_type=LARGER)
    assert refusals(found) == {"confirmation_missing": "confirm", "work_runs": "disrupt"}
    assert [(one.name, one.action) for one in found.changes] == [
        ("demo/cpu-2", "create"),
        (node["InstanceId"], "update"),
        ("demo/cpu", "delete"),
        (node["InstanceId"], "delete"),
    ]
    assert refusals(plan(operator, "group.replace", group="cpu", new_name="workers", confirm="cpu", disrupt=True)) == {
        "group_exists": "new_name"
    }

    # The page: from the refused change to the plan of all three.
    client = signed_in(operator)
    offered = client.get(f"{HOME}groups/cpu/change/?plan=1&instance_type={LARGER}").content.decode()
    address = f"{HOME}groups/cpu/replace/?plan=1&instance_type={LARGER}"
    assert address.replace("&", "&amp;") in offered
    planned = client.get(f"{address}&disrupt=1").content.decode()
    assert ("Add cpu-2 to demo, drain cpu and delete it" in planned, "Pod default/thesis" in planned) == (True, True)
    seen = {"plan_fingerprint": hidden(planned, "plan_fingerprint"), "key": hidden(planned, "key")}
    wrong = client.post(f"{address}&disrupt=1", {**seen, "confirm": "cpu-2"})
    assert (wrong.status_code, Operation.objects.filter(kind="group.replace").count()) == (409, 0)

    answer = api(operator).post(
        "/api/v1/clusters/demo/groups/cpu/replacement/",
        {"instance_type": LARGER, "confirm": "cpu", "disrupt": True},
        format="json",
        headers={"Idempotency-Key": "replace"},
    )
    operation = Operation.objects.get(kind="group.replace")
    assert (answer.status_code, answer["Location"]) == (202, f"/api/v1/operations/{operation.pk}/")
    drive(operation, max_ticks=2000, on_idle=standing.sandbox.forward)
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED, operation.error_message
    assert (standing.counts(), standing.writes()) == ({"workers": 1, "cpu-2": 1}, ["UpdateCluster", "UpdateCluster"])
    made = next(one for one in standing.describe()["InstanceGroups"] if one["InstanceGroupName"] == "cpu-2")
    assert (made["InstanceType"], made["KubernetesConfig"]["DesiredLabels"]) == (LARGER, {"team": "red"})
    assert [one["metadata"]["name"] for one in kube.list("v1", "Pod", namespace="default") if one["metadata"]["name"] == "thesis"] == []
    done(standing, operator, "group.delete", group="cpu-2", confirm="cpu-2")


def test_a_group_like_another_has_its_volumes_and_types_and_no_plan_that_is_not_its_capacity() -> None:
    key = "arn:aws:kms:us-west-2:123456789012:key/1"
    volumes = [{"VolumeKmsKeyId": key, "RootVolume": True}, {"VolumeSizeInGB": 100}, {"VolumeSizeInGB": 200}]
    raw = {"InstanceStorageConfigs": [{"EbsVolumeConfig": one} for one in volumes], "TrainingPlanArn": "arn:plan"}
    group = GroupReading("cpu", f"{CPU}, {LARGER}", Capacity.TRAINING_PLAN, "InService", 1, 1, None, raw)
    changes = {
        "capacity": FieldChange(field="capacity", before="training-plan", after="spot"),
        "volume_gb": FieldChange(field="volume_gb", before=100, after=150),
    }
    assert change.like(group, changes) == {
        "name": "cpu-2",
        "count": 1,
        "instance_type": CPU,
        "further_types": [LARGER],
        "capacity": "spot",
        "deep_health_checks": [],
        "volumes": [{"kms_key": key, "root": True}, {"size_gb": 150}, {"size_gb": 200}],
    }
