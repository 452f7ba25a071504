"""What is meant, followed through our own operations, and what differs from it: rows alone, no AWS."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from clusters.drift import fields
from clusters.drift.compare import Difference, differences
from clusters.drift.desired import wanted
from clusters.drift.look import look
from clusters.models import Cluster, ClusterDocument, Desired, Drift, DriftLook
from clusters.tests.driving import begin
from clusters.tests.rows import AT, make_cluster, make_drift
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.problem import Problem
from operations.choices import Channel, OperationState
from operations.models import Alert, Operation

GROUP = {
    "InstanceGroupName": "workers",
    "InstanceType": "ml.g5.8xlarge",
    "Status": "InService",
    "TargetCount": 1,
    "CurrentCount": 1,
    "ThreadsPerCore": 1,
    "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}],
}


@pytest.fixture(autouse=True)
def no_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise CloudError("sagemaker", "describe_cluster", "Unreachable", "There is no AWS in this test.", None, "", None)

    monkeypatch.setattr(cloud, "connect", unreachable)


def seen(row: Cluster, minutes: int, recovery: str = "Automatic", **group: Any) -> None:
    """As the observer would have written it, so many minutes after the cluster was made."""
    body = {
        "ClusterName": row.name,
        "ClusterArn": "arn:aws:sagemaker:us-west-2:123456789012:cluster/abcdefabcdef",
        "ClusterStatus": "InService",
        "NodeRecovery": recovery,
        "NodeProvisioningMode": "Continuous",
        "InstanceGroups": [{**GROUP, **group}] if group.get("InstanceGroupName", "x") else [],
    }
    ClusterDocument.objects.update_or_create(
        cluster=row, name="hyperpod", defaults={"body": body, "observed_at": AT + timedelta(minutes=minutes)}
    )


def ended(row: Cluster, kind: str, minutes: int, state: OperationState = OperationState.SUCCEEDED, **given: Any) -> Operation:
    at = AT + timedelta(minutes=minutes)
    return Operation.objects.create(
        kind=kind,
        title=kind,
        cluster=row.name,
        input={"name": row.name, **given},
        state=state,
        channel=Channel.API,
        created_at=at,
        ended_at=at,
    )


def live() -> list[tuple[str, str, Any, Any]]:
    return list(Drift.objects.filter(state="open").order_by("resource", "field").values_list("resource", "field", "desired", "observed"))


@pytest.fixture
def row(db: None) -> Cluster:
    made = make_cluster(created_at=AT)
    ended(made, "cluster.create", 0)
    seen(made, 1)
    return made


def test_a_cluster_as_it_was_made_has_no_drift(row: Cluster) -> None:
    look("demo")
    assert live() == []
    assert wanted(row)["group/workers"] == {
        "there": True,
        "count": 1,
        "labels": {},
        "taints": [],
        "volume_gb": 500,
        "threads_per_core": 1,
        "deep_health_checks": [],
    }
    assert DriftLook.objects.get().skipped == ""


def test_each_field_of_a_group_and_of_the_cluster_that_differs_is_told(row: Cluster) -> None:
    config = {"DesiredLabels": {"team": "b"}, "DesiredTaints": [{"Key": "k", "Effect": "NoSchedule"}]}
    seen(row, 2, recovery="None", TargetCount=4, KubernetesConfig=config, OnStartDeepHealthChecks=["InstanceStress"])
    look("demo")
    # Nobody can say whether node autoscaling has set the count, so it is not called drift.
    assert live() == [
        ("cluster", "node_recovery", "Automatic", "None"),
        ("group/workers", "deep_health_checks", [], ["InstanceStress"]),
        ("group/workers", "labels", {}, {"team": "b"}),
        ("group/workers", "taints", [], [{"key": "k", "value": "", "effect": "NoSchedule"}]),
    ]


def test_what_our_own_operations_change_is_no_drift(row: Cluster) -> None:
    look("demo")
    ended(row, "group.update", 2, group="workers", labels={"team": "a"})
    seen(row, 3, KubernetesConfig={"DesiredLabels": {"team": "a"}})
    look("demo")
    assert live() == []
    seen(row, 4, KubernetesConfig={"DesiredLabels": {"team": "b"}})
    look("demo")
    assert live() == [("group/workers", "labels", {"team": "a"}, {"team": "b"})]
    told = Alert.objects.get()
    assert (told.kind, told.sentence, told.open) == ("drift", "demo is not as InstantStart left it: group/workers labels.", True)
    seen(row, 5, KubernetesConfig={"DesiredLabels": {"team": "a"}})
    look("demo")
    told.refresh_from_db()
    assert (live(), told.open) == ([], False)


def test_a_replaced_group_and_one_with_several_volumes_are_no_drift(row: Cluster) -> None:
    look("demo")
    replaced = ended(row, "group.replace", 2, group="workers", instance_type="ml.m5.2xlarge")
    replaced.plan = {"basis": {"new": "workers-2", "groups": ["workers-2", "workers"]}}
    replaced.save()
    seen(row, 3, InstanceGroupName="workers-2", InstanceType="ml.m5.2xlarge")
    look("demo")
    assert (live(), wanted(row)["group/workers-2"]["count"], "group/workers" in wanted(row)) == ([], 1, True)
    assert wanted(row)["group/workers"] == {"there": False}

    ended(row, "group.delete", 4, group="workers-2")
    # As a recorded input has it: with the default of volume_gb, which then says nothing.
    asked = {
        "name": "disks",
        "count": 1,
        "volume_gb": 500,
        "volumes": [{"root": True, "size_gb": None}, {"size_gb": 100}, {"size_gb": 200}],
    }
    ended(row, "group.add", 5, groups=[asked])
    volumes = [{"EbsVolumeConfig": {"VolumeSizeInGB": size}} for size in (100, 200)]
    seen(row, 6, InstanceGroupName="disks", InstanceStorageConfigs=volumes)
    look("demo")
    assert live() == []


def test_an_operation_that_failed_half_way_is_taken_as_it_left_it(row: Cluster) -> None:
    look("demo")
    ended(row, "group.update", 2, OperationState.FAILED, group="workers", labels={"team": "a"})
    seen(row, 3, KubernetesConfig={"DesiredLabels": {"team": "half"}})
    look("demo")
    assert live() == []
    assert wanted(row)["group/workers"]["labels"] == {"team": "half"}


def test_a_group_deleted_or_added_elsewhere_is_told_and_not_put_back_unasked(row: Cluster, operator: User) -> None:
    seen(row, 2, InstanceGroupName="")
    look("demo")
    assert live() == [("group/workers", "there", True, False)]
    with pytest.raises(Problem) as refused:
        begin(operator, "drift.revert", name="demo", drift=Drift.objects.get().pk)
    assert (refused.value.code, refused.value.hint) == ("drift_not_reverted", "Add workers again, or accept it.")
    begin(operator, "drift.accept", name="demo", drift=Drift.objects.get().pk)
    seen(row, 3, InstanceGroupName="others")
    look("demo")
    assert live() == [("group/others", "there", False, True)]
    begin(operator, "drift.accept", name="demo", drift=Drift.objects.get(state="open").pk)
    look("demo")
    assert live() == []
    assert wanted(row)["group/others"]["count"] == 1


def test_nothing_is_compared_while_an_operation_runs_or_before_it_was_read_again(row: Cluster) -> None:
    ended(row, "group.scale", 5, group="workers", count=2)
    seen(row, 4, recovery="None")
    look("demo")
    assert (live(), DriftLook.objects.get().skipped) == ([], "It has not been read since the last operation ended.")
    Operation.objects.create(kind="group.add", title="Add", cluster="demo", channel=Channel.API, created_at=AT)
    look("demo")
    assert (live(), DriftLook.objects.get().skipped) == ([], "An operation is under way.")


def test_a_cluster_whose_history_is_not_known_is_meant_as_it_is(db: None) -> None:
    made = make_cluster(created_at=AT)
    seen(made, 1, recovery="None", TargetCount=7)
    look("demo")
    assert (live(), wanted(made)["group/workers"]["count"]) == ([], 7)
    seen(made, 2)
    look("demo")
    assert live() == [("cluster", "node_recovery", "None", "Automatic")]


def test_an_ignored_field_is_pointed_out_again_when_it_becomes_another(row: Cluster, operator: User) -> None:
    seen(row, 2, KubernetesConfig={"DesiredLabels": {"team": "b"}})
    look("demo")
    drift = Drift.objects.get()
    begin(operator, "drift.ignore", name="demo", drift=drift.pk)
    seen(row, 3, KubernetesConfig={"DesiredLabels": {"team": "b"}})
    look("demo")
    assert live() == []
    seen(row, 4, KubernetesConfig={"DesiredLabels": {"team": "c"}})
    look("demo")
    assert live() == [("group/workers", "labels", {}, {"team": "c"})]
    seen(row, 5)
    look("demo")
    drift.refresh_from_db()
    assert (live(), drift.state) == ([], "resolved")


def test_what_became_another_since_the_plan_is_not_taken_over(row: Cluster, operator: User) -> None:
    drift = make_drift(row)
    begin(operator, "drift.ignore", name="demo", drift=drift.pk)
    with pytest.raises(Problem) as missing:
        begin(operator, "drift.accept", name="demo", drift=drift.pk + 1)
    assert (missing.value.status, missing.value.code) == (404, "drift_not_found")
    assert Desired.objects.count() == 0


def test_a_feature_that_was_removed_elsewhere_is_told_and_one_under_way_is_not() -> None:
    meant = {"feature/kuberay": {"there": True, "replicas": 1}}
    assert differences(meant, {"feature/kuberay": {"there": False}}) == [Difference("feature/kuberay", "there", True, False)]
    assert differences(meant, {}) == []
    assert differences(meant, {"feature/kuberay": {"there": True, "replicas": 2}}) == [Difference("feature/kuberay", "replicas", 1, 2)]
    assert fields.feature("kuberay") == "feature/kuberay"


def test_the_pages_show_field_by_field_who_and_when(row: Cluster, operator: User, viewer: User) -> None:
    make_drift(row, by_whom="ana", by_arn="arn:aws:iam::1:user/ana", event_name="UpdateCluster", changed_at=AT, event_id="e")
    client = Client()
    client.force_login(operator)
    assert "1 field not as InstantStart left it." in client.get("/clusters/demo/").content.decode()
    page = client.get("/clusters/demo/drift/").content.decode()
    for told in ("group/workers", "ana by UpdateCluster", "arn:aws:iam::1:user/ana", "Put back", "Accept", "Ignore"):
        assert told in page
    client.force_login(viewer)
    assert "Put back" not in client.get("/clusters/demo/drift/").content.decode()
