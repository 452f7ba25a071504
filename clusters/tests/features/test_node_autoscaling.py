"""Node autoscaling from the door to the nodes: on, again, one field, from zero and back, refused by hand, off; and other hands in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from accounts.principals import principal_for
from clusters.choices import FeatureState
from clusters.features.node_autoscaling.objects import DEFINITION
from clusters.tests.driving import begin, failure, run
from clusters.tests.features.conftest import Rig, request
from clusters.tests.features.every import GROUPS, SETTINGS
from clusters.tests.groups.meanwhile import Meanwhile
from instantstart import cloud
from instantstart.problem import Problem
from operations.choices import OperationState
from operations.driver import drive
from operations.plan import Plan
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ROLE = "instantstart-demo-karpenter"
CLASS, POOL = "karpenter.sagemaker.amazonaws.com/v1", "karpenter.sh/v1"
ON = SETTINGS["node_autoscaling"]


@pytest.fixture
def land(rig: Rig) -> Rig:
    """With two groups of no instances besides `workers`."""
    rig.group(**GROUPS)
    return rig


def counts(rig: Rig) -> dict[str, int]:
    return {group["InstanceGroupName"]: group["TargetCount"] for group in rig.described()["InstanceGroups"]}


def plan(rig: Rig, **changes: Any) -> Plan:
    return submit("feature.set", request(**changes), principal_for(rig.operator), channel="api", dry_run=True).plan


def refused(rig: Rig, kind: str, **raw: Any) -> dict[str, str]:
    with pytest.raises(Problem) as problem:
        submit(kind, {"name": "demo", **raw}, principal_for(rig.operator), channel="api")
    return {error.code: f"{error.detail} {error.hint}" for error in problem.value.errors}


def node_class(name: str, *groups: str) -> dict[str, Any]:
    return {"apiVersion": CLASS, "kind": "HyperpodNodeClass", "metadata": {"name": name}, "spec": {"instanceGroups": [*groups]}}


def pod() -> dict[str, Any]:
    container = {"name": "main", "image": "busybox", "command": ["sleep", "100000"], "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    chosen = {"sagemaker.amazonaws.com/instance-group-name": "gpu"}
    spec = {"containers": [container], "nodeSelector": chosen, "tolerations": [{"operator": "Exists"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train", "namespace": "default"}, "spec": spec}


def test_groups_grow_and_shrink_by_themselves_from_the_door_to_the_nodes(land: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    # Refused in words, before anything is made.
    codes = {check.code: check.field for check in plan(land, node_autoscaling={"groups": ["gpu", "none"]}).errors}
    assert codes == {"group_not_found": "features.node_autoscaling.settings.groups"}
    assert {check.code for check in plan(land, node_autoscaling=True).errors} == {"groups_missing"}
    warned = plan(land, node_autoscaling={"groups": ["workers", "gpu", "cpu"]})
    assert {"autoscaled_group_not_empty", "no_standing_group"} <= {check.code for check in warned.checks}

    # On: the chain, link by link.
    shown = plan(land, node_autoscaling=ON)
    assert shown.errors == ()
    assert [(change.resource_type, change.action) for change in shown.changes] == [
        ("AWS::IAM::Role", "create"),
        ("AWS::IAM::RolePolicy", "create"),
        ("AutoScaling", "create"),
        ("HyperpodNodeClass", "create"),
        ("NodePool", "create"),
    ]
    mark = land.now()
    land.done(node_autoscaling=ON)
    assert land.writes_since(mark) == ["iam:CreateRole", "iam:PutRolePolicy", "sagemaker:UpdateCluster"]
    found = land.described()
    assert found["AutoScaling"] == {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "InService"}
    assert found["ClusterRole"].endswith(f":role/{ROLE}")
    document = cloud.connect("us-west-2").read("iam", "get_role_policy", RoleName=ROLE, PolicyName="access")["PolicyDocument"]
    assert [(one["Action"], one["Resource"]) for one in document["Statement"]] == [
        (["sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes"], found["ClusterArn"])
    ]
    seen = land.seen("node_autoscaling")
    assert (seen.state, seen.message) == (FeatureState.ACTIVE, "Karpenter keeps 0 nodes in gpu")
    assert {name: seen.settings[name] for name in ON} == {**ON, "limits": {"nvidia.com/gpu": "2"}}

    # Again: nothing. One field: that field, and nothing of AWS's.
    mark = land.now()
    again = submit("feature.set", request(node_autoscaling=ON), principal_for(land.operator), channel="api")
    assert (again.changed, again.operation) == (False, None)
    later = plan(land, node_autoscaling={"consolidate_after": "5m"})
    assert {change.resource_type: [one.field for one in change.fields] for change in later.changes if change.action != "none"} == {
        "NodePool": ["consolidateAfter"]
    }
    before = land.kube.get(CLASS, "HyperpodNodeClass", "instantstart")
    land.done(node_autoscaling={"consolidate_after": "5m"})
    pool, after = land.kube.get(POOL, "NodePool", "instantstart"), land.kube.get(CLASS, "HyperpodNodeClass", "instantstart")
    assert pool is not None and before is not None and after is not None
    assert (pool["spec"]["disruption"]["consolidateAfter"], pool["spec"]["limits"]) == ("5m", {"nvidia.com/gpu": "2"})
    assert before["metadata"]["resourceVersion"] == after["metadata"]["resourceVersion"]
    assert land.writes_since(mark) == []

    # By hand it is neither scaled nor deleted.
    out = "Take gpu out of the groups of node autoscaling first"
    for kind, raw in (("group.scale", {"group": "gpu", "count": 2}), ("group.delete", {"group": "gpu", "confirm": "gpu"})):
        assert {code: out in said for code, said in refused(land, kind, **raw).items()} == {"group_autoscaled": True}

    deep = refused(land, "group.update", group="gpu", deep_health_checks=["InstanceStress"])
    assert set(deep) == {"autoscaled_group_deep_checks"}

    # A node class that appears between plan and call: two would undo each other.
    meanwhile = Meanwhile(monkeypatch)
    meanwhile.at("start.committed", lambda: land.kube.apply(node_class("burst", "cpu")))
    both = {"groups": ["cpu", "gpu"]}
    raced = land.set(node_autoscaling=both)
    assert (raced.state, raced.error_code, meanwhile.waiting) == (OperationState.FAILED, "group_in_other_class", []), failure(raced)
    assert land.seen("node_autoscaling").settings["groups"] == ["gpu"]
    assert {check.code for check in plan(land, node_autoscaling=both).errors} == {"group_in_other_class"}
    assert {check.code for check in plan(land, node_autoscaling=False).errors} == {"others_scale_too"}
    land.kube.delete(CLASS, "HyperpodNodeClass", "burst")
    assert land.writes_since(mark) == []

    # From zero for a pod that waits, and back when nothing runs there.
    land.kube.apply(pod())
    land.until(lambda: ((land.kube.get("v1", "Pod", "train", "default") or {}).get("status") or {}).get("phase") == "Running")
    assert counts(land) == {"workers": 1, "gpu": 1, "cpu": 0}
    land.until(lambda: land.seen("node_autoscaling").message == "Karpenter keeps 1 node in gpu")
    assert "Pod default/train" in refused(land, "feature.set", **request(node_autoscaling=False))["feature_in_use"]
    assert "Pod default/train" in refused(land, "feature.set", **request(node_autoscaling={"groups": ["cpu"]}))["work_runs"]
    land.kube.delete("v1", "Pod", "train", "default")
    land.until(lambda: counts(land)["gpu"] == 0)
    assert land.writes_since(mark) == []

    # Off, backwards.
    land.done(node_autoscaling=False)
    assert land.writes_since(mark) == ["sagemaker:UpdateCluster", "iam:DeleteRolePolicy", "iam:DeleteRole"]
    assert land.kube.get(*DEFINITION) is None
    assert land.seen("node_autoscaling").state == FeatureState.ABSENT
    assert land.ledger() - land.before == set()
    assert "AutoScaling" not in land.described()


def test_a_group_that_is_being_scaled_does_not_come_under_it_meanwhile_nor_the_other_way_round(land: Rig) -> None:
    def in_the_way(kind: str, **raw: Any) -> str:
        with pytest.raises(Problem) as problem:
            submit(kind, {"name": "demo", **raw}, principal_for(land.operator), channel="api")
        assert (problem.value.status, problem.value.code) == (409, "operation_in_progress")
        return str(problem.value.extra["operation"])

    scaling = begin(land.operator, "group.scale", name="demo", group="cpu", count=1)
    assert in_the_way("feature.set", **request(node_autoscaling={"groups": ["cpu"]})) == str(scaling.pk)
    turning_on = begin(land.operator, "feature.set", **request(node_autoscaling=ON))
    assert in_the_way("group.scale", group="gpu", count=1) == str(turning_on.pk)
    for operation in (scaling, turning_on):
        drive(operation, max_ticks=1000, on_idle=land.sandbox.forward)
        operation.refresh_from_db()
        assert operation.state == OperationState.SUCCEEDED, failure(operation)
    land.done(node_autoscaling=False)
    gone = run(land.sandbox, land.operator, "group.scale", name="demo", group="cpu", count=0)
    assert gone.state == OperationState.SUCCEEDED, failure(gone)


def test_what_another_hand_turned_on_under_its_own_role_is_completed_and_its_role_left_alone(land: Rig) -> None:
    aws = cloud.connect("us-west-2")
    trust = {"Effect": "Allow", "Principal": {"Service": "hyperpod.sagemaker.amazonaws.com"}, "Action": "sts:AssumeRole"}
    made = aws.write(
        "iam", "create_role", RoleName="theirs", AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    )
    access = {"Effect": "Allow", "Action": "sagemaker:Batch*", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [access]})
    aws.write("iam", "put_role_policy", RoleName="theirs", PolicyName="all", PolicyDocument=document)
    theirs = made.data["Role"]["Arn"]
    scaling = {"Mode": "Enable", "AutoScalerType": "Karpenter"}
    aws.write("sagemaker", "update_cluster", ClusterName="demo", AutoScaling=scaling, ClusterRole=theirs)
    land.until(lambda: land.described()["AutoScaling"]["Status"] == "InService")
    half = land.seen("node_autoscaling")
    assert (half.state, [fault.code for fault in half.faults]) == (FeatureState.DEGRADED, ["half_made"])

    mark = land.now()
    land.done(node_autoscaling={"groups": ["gpu"]})
    assert land.writes_since(mark) == []
    assert (land.seen("node_autoscaling").state, land.described()["ClusterRole"]) == (FeatureState.ACTIVE, theirs)
    land.done(node_autoscaling=False)
    assert land.writes_since(mark) == ["sagemaker:UpdateCluster"]
    assert land.seen("node_autoscaling").state == FeatureState.ABSENT
    assert aws.read("iam", "get_role", RoleName="theirs")["Role"]["Arn"] == theirs
    aws.write("iam", "delete_role_policy", RoleName="theirs", PolicyName="all")
    aws.write("iam", "delete_role", RoleName="theirs")


def test_a_role_that_may_not_scale_is_told_and_turning_it_on_again_starts_over(land: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    aws = cloud.connect("us-west-2")
    meanwhile = Meanwhile(monkeypatch)

    def weaken() -> None:
        """As soon as AutoScaling is asked for, somebody takes the policy away."""
        if "AutoScaling" not in land.described():
            meanwhile.at("call.after", weaken)
            return
        aws.write("iam", "delete_role_policy", RoleName=ROLE, PolicyName="access")

    meanwhile.at("call.after", weaken)
    tried = land.set(node_autoscaling=ON)
    assert (tried.state, tried.error_code) == (OperationState.FAILED, "autoscaling_failed"), failure(tried)
    assert "sagemaker:BatchAddClusterNodes" in tried.error_message
    land.done(node_autoscaling=ON)
    assert land.seen("node_autoscaling").state == FeatureState.ACTIVE
    land.done(node_autoscaling=False)
    assert land.ledger() - land.before == set()
