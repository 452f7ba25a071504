"""Two changes at once: nothing is lost, and no count is overwritten with a stale one."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.actions import group as group_actions
from clusters.models import Cluster
from clusters.reading.reader import ClusterReader
from clusters.tests.driving import begin, failure, run
from clusters.tests.groups.meanwhile import Meanwhile
from clusters.tests.groups.standing import Standing
from instantstart.problem import Problem
from operations.cancel import cancel
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CPU = "ml.m5.xlarge"
NODE_CLASS = "hyperpodnodeclasses.karpenter.sagemaker.amazonaws.com"
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": NODE_CLASS},
    "spec": {
        "group": "karpenter.sagemaker.amazonaws.com",
        "names": {"kind": "HyperpodNodeClass", "plural": "hyperpodnodeclasses", "singular": "hyperpodnodeclass"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


def ended(standing: Standing, *operations: Operation) -> None:
    for operation in operations:
        drive(operation, max_ticks=2000, on_idle=standing.sandbox.forward)
        operation.refresh_from_db()


def add(standing: Standing, who: User, *groups: dict[str, Any]) -> None:
    made = run(standing.sandbox, who, "group.add", name="demo", groups=[{"instance_type": CPU, "count": 0, **group} for group in groups])
    assert made.state == OperationState.SUCCEEDED, failure(made)


def remove(standing: Standing, who: User, *names: str) -> None:
    for name in names:
        gone = run(standing.sandbox, who, "group.delete", name="demo", group=name, confirm=name, disrupt=True)
        assert gone.state == OperationState.SUCCEEDED, failure(gone)


def test_two_people_scale_two_groups_and_a_third_hand_adds_between(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(standing, operator, {"name": "left"}, {"name": "right"})
    meanwhile = Meanwhile(monkeypatch)
    left = begin(operator, "group.scale", name="demo", group="left", count=2)
    right: list[Operation] = []
    meanwhile.at("call.before", lambda: right.append(begin(operator, "group.scale", name="demo", group="right", count=1)))
    # Somebody with the AWS command line, between our look and our call.
    more = [{"InstanceGroupName": "right", "IncrementTargetCountBy": 1}]
    meanwhile.at("call.after", lambda: standing.aws.write("sagemaker", "batch_add_cluster_nodes", ClusterName="demo", NodesToAdd=more))
    ended(standing, left)
    ended(standing, *right)
    assert meanwhile.waiting == []
    assert [left.state, *(one.state for one in right)] == [OperationState.SUCCEEDED] * 2, failure(right[0])
    assert standing.counts() == {"workers": 1, "left": 2, "right": 1}
    remove(standing, operator, "left", "right")


def test_one_group_changes_once_at_a_time(standing: Standing, operator: User) -> None:
    add(standing, operator, {"name": "one"}, {"name": "other"})
    deleting = begin(operator, "group.delete", name="demo", group="one", confirm="one")

    def refused(kind: str, **raw: Any) -> str:
        with pytest.raises(Problem) as problem:
            submit(kind, {"name": "demo", **raw}, principal_for(operator), channel="api")
        assert (problem.value.status, problem.value.code) == (409, "operation_in_progress")
        return problem.value.extra["operation"]

    assert refused("group.scale", group="one", count=1) == str(deleting.pk)
    # Asked for under another name, by the same call that also asks for a new group.
    begun = begin(operator, "group.add", name="demo", groups=[{"name": "new", "instance_type": CPU, "count": 0}])
    assert refused("group.add", groups=[{"name": "new", "instance_type": CPU, "count": 1}]) == str(begun.pk)
    ended(standing, deleting, begun)
    assert standing.counts() == {"workers": 1, "other": 0, "new": 0}
    remove(standing, operator, "other", "new")


@pytest.mark.parametrize("moment", ["call.before", "call.after"])
def test_a_deletion_and_an_addition_that_meet_both_come_true(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    add(standing, operator, {"name": "old"})
    meanwhile = Meanwhile(monkeypatch)
    standing.mark()
    deleting = begin(operator, "group.delete", name="demo", group="old", confirm="old")
    group = {"name": "fresh", "instance_type": CPU, "count": 1, "subnet": "dedicated"}
    adding: list[Operation] = []
    meanwhile.at(moment, lambda: adding.append(begin(operator, "group.add", name="demo", groups=[group])))
    ended(standing, deleting)
    ended(standing, *adding)
    assert meanwhile.waiting == []
    assert [deleting.state, *(one.state for one in adding)] == [OperationState.SUCCEEDED] * 2, failure(adding[0])
    assert standing.counts() == {"workers": 1, "fresh": 1}
    assert sorted(standing.writes()) == ["CreateStack", "UpdateCluster", "UpdateCluster"]
    remove(standing, operator, "fresh")


def test_two_additions_never_take_one_range(standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def group(name: str) -> list[dict[str, Any]]:
        return [{"name": name, "instance_type": CPU, "count": 0, "subnet": "dedicated"}]

    first = begin(operator, "group.add", name="demo", groups=group("first"))
    # Planned while the first is under way: another range.
    second = begin(operator, "group.add", name="demo", groups=group("second"))
    assert [one.plan["basis"]["networks"][0]["cidr"] for one in (first, second)] == ["10.90.32.0/20", "10.90.48.0/20"]
    # Planned at the same moment: the one that is recorded later is told of the other.
    with monkeypatch.context() as patched:
        patched.setattr(group_actions, "ranges_at_work", lambda _: [])
        with pytest.raises(Problem) as met:
            begin(operator, "group.add", name="demo", groups=group("third"))
    assert (met.value.status, met.value.code, "10.90.32.0/20" in met.value.detail) == (409, "operation_in_progress", True)
    ended(standing, first, second)
    assert [first.state, second.state] == [OperationState.SUCCEEDED] * 2, failure(second)
    remove(standing, operator, "first", "second")
    assert standing.stacks() == []


def test_a_group_deleted_by_another_hand_while_it_grows_is_said_to_be_gone(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(standing, operator, {"name": "short"})
    meanwhile = Meanwhile(monkeypatch)
    meanwhile.at(
        "outcome.committed",
        lambda: standing.aws.write("sagemaker", "update_cluster", ClusterName="demo", InstanceGroupsToDelete=["short"]),
    )
    grown = run(standing.sandbox, operator, "group.scale", name="demo", group="short", count=1)
    assert (grown.state, grown.error_code) == (OperationState.FAILED, "group_gone"), failure(grown)
    drive(lambda: "short" not in standing.counts(), max_ticks=200, on_idle=standing.sandbox.forward)


def test_a_node_class_that_appears_between_plan_and_call_stops_scaling_by_hand(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(standing, operator, {"name": "auto"})
    api = ClusterReader("demo", "us-west-2").kube
    assert api is not None
    api.apply(CRD)
    node_class = {
        "apiVersion": "karpenter.sagemaker.amazonaws.com/v1",
        "kind": "HyperpodNodeClass",
        "metadata": {"name": "burst"},
        "spec": {"instanceGroups": ["auto"]},
    }
    meanwhile = Meanwhile(monkeypatch)

    def appear() -> None:
        drive(lambda: bool(api.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", NODE_CLASS)), max_ticks=1)
        api.apply(node_class)

    meanwhile.at("start.committed", appear)
    standing.mark()
    grown = run(standing.sandbox, operator, "group.scale", name="demo", group="auto", count=1)
    assert (grown.state, grown.error_code) == (OperationState.FAILED, "group_autoscaled"), failure(grown)
    for kind, raw in (("group.scale", {"count": 1}), ("group.delete", {"confirm": "auto"})):
        with pytest.raises(Problem) as refused:
            submit(kind, {"name": "demo", "group": "auto", **raw}, principal_for(operator), channel="api")
        assert [(error.code, "burst" in error.detail) for error in refused.value.errors] == [("group_autoscaled", True)]
    assert standing.writes() == []
    api.delete("karpenter.sagemaker.amazonaws.com/v1", "HyperpodNodeClass", "burst")
    remove(standing, operator, "auto")


def test_a_cluster_whose_group_and_feature_were_cancelled_on_their_way_is_deleted_and_nothing_is_left(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile = Meanwhile(monkeypatch)
    who = principal_for(operator)
    group = {"name": "late", "instance_type": CPU, "count": 1, "subnet": "dedicated"}
    adding = begin(operator, "group.add", name="demo", groups=[group])
    setting = begin(operator, "feature.set", name="demo", features={"tiered_checkpointing": {"enabled": True}}, cascade=True)
    refusals: list[Any] = []

    def refused(kind: str, **raw: Any) -> None:
        with pytest.raises(Problem) as problem:
            submit(kind, {"name": "demo", **raw}, who, channel="api")
        refusals.append((problem.value.code, problem.value.extra.get("operation")))

    def delete_it() -> None:
        """Each of them in turn keeps the cluster from being deleted, until it was cancelled."""
        for one in (adding, setting):
            refused("cluster.delete", confirm="demo")
            one.refresh_from_db()
            cancel(one, who)

    meanwhile.at("call.before", delete_it)
    drive(lambda: meanwhile.waiting == [], max_ticks=200, on_idle=standing.sandbox.forward)
    ended(standing, adding, setting)
    assert refusals == [("operation_in_progress", str(adding.pk)), ("operation_in_progress", str(adding.pk))]
    assert {adding.state, setting.state} <= {OperationState.CANCELLED, OperationState.SUCCEEDED}, failure(adding)
    deleting = begin(operator, "cluster.delete", name="demo", confirm="demo")
    refused("group.scale", group="workers", count=2)
    refused("node_group.create", node_group="cpu")
    assert refusals[2:] == [("operation_in_progress", str(deleting.pk))] * 2
    ended(standing, deleting)
    assert deleting.state == OperationState.SUCCEEDED, failure(deleting)
    assert [row["kind"] for row in standing.sandbox.ledger() if row["kind"] != "sagemaker.training-plan"] == []
    assert not Cluster.objects.exists()
