"""Another hand on a standing cluster: seen with its name, taken over and ignored without a call, put back by exactly one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.actions.recent import AGAIN_AFTER
from clusters.drift import look as look_module
from clusters.drift.look import look
from clusters.drift.sweep import follow_up, hourly
from clusters.models import ClusterStack, Desired, Drift
from clusters.tests.drift.conftest import SECONDS_UNTIL_TOLD, AnotherHand
from clusters.tests.driving import begin, failure, run
from clusters.tests.groups.standing import Standing
from instantstart.problem import Problem
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

Looked = Callable[[], list[Drift]]


def outline(rows: list[Drift]) -> list[tuple[str, str, Any, Any, str]]:
    return [(one.resource, one.field, one.desired, one.observed, one.by_whom) for one in rows]


def calls(standing: Standing) -> list[str]:
    return [one["operation"] for one in standing._calls()]


def more(ana: AnotherHand) -> None:
    nodes = [{"InstanceGroupName": "workers", "IncrementTargetCountBy": 1}]
    ana.does("sagemaker", "batch_add_cluster_nodes", ClusterName="demo", NodesToAdd=nodes)


def fewer(ana: AnotherHand, standing: Standing) -> None:
    ana.does("sagemaker", "batch_delete_cluster_nodes", ClusterName="demo", NodeIds=[standing.nodes("workers")[-1]["InstanceId"]])


def test_a_change_of_another_hand_is_named_ignored_put_back_and_taken_over(
    standing: Standing, operator: User, ana: AnotherHand, looked: Looked
) -> None:
    assert looked() == []
    more(ana)
    ana.does("sagemaker", "update_cluster", ClusterName="demo", NodeRecovery="None")
    found = looked()
    assert outline(found) == [
        ("cluster", "node_recovery", "Automatic", "None", "ana"),
        ("group/workers", "count", 1, 2, "ana"),
    ]
    recovery, count = found
    assert (recovery.event_name, recovery.by_arn) == ("UpdateCluster", "arn:aws:iam::123456789012:user/ana")
    assert (count.event_name, count.changed_at is not None, count.event_id != "") == ("BatchAddClusterNodes", True, True)

    # Ignoring calls nobody, and lasts.
    standing.mark()
    begin(operator, "drift.ignore", name="demo", drift=recovery.pk)
    assert calls(standing) == []
    assert [one.state for one in looked()] == ["ignored", "open"]

    # Putting back is one call each.
    standing.mark()
    back = run(standing.sandbox, operator, "drift.revert", name="demo", drift=recovery.pk)
    assert back.state == OperationState.SUCCEEDED, failure(back)
    assert standing.writes() == ["UpdateCluster"]
    assert (standing.describe()["NodeRecovery"], standing.counts()) == ("Automatic", {"workers": 2})
    standing.mark()
    back = run(standing.sandbox, operator, "drift.revert", name="demo", drift=count.pk)
    assert back.state == OperationState.SUCCEEDED, failure(back)
    assert (standing.writes(), standing.counts()) == (["BatchDeleteClusterNodes"], {"workers": 1})
    assert looked() == []
    assert sorted(Drift.objects.values_list("state", "decided_by")) == [("resolved", operator.get_username())] * 2

    # Taking over calls nobody either: from then on it is meant.
    more(ana)
    (again,) = looked()
    standing.mark()
    begin(operator, "drift.accept", name="demo", drift=again.pk)
    assert calls(standing) == []
    again.refresh_from_db()
    wanted = Desired.objects.get(resource="group/workers", field="count")
    assert (again.state, wanted.value, wanted.accepted) == ("accepted", 2, True)
    assert looked() == []
    fewer(ana, standing)
    assert outline(looked()) == [("group/workers", "count", 2, 1, "ana")]


def test_a_change_made_outside_is_never_put_back_unasked(standing: Standing, operator: User, ana: AnotherHand, looked: Looked) -> None:
    """Not by any look, nor by an operation of ours on the same cluster and the same group, nor by ignoring or accepting another field."""
    assert looked() == []
    more(ana)
    ana.does("sagemaker", "update_cluster", ClusterName="demo", NodeRecovery="None")
    ana.does("logs", "put_retention_policy", logGroupName="/aws/eks/demo/cluster", retentionInDays=7)
    standing.mark()
    for _ in range(2):
        assert hourly() == 1
        standing.sandbox.forward("settled")
        follow_up()
        drive(lambda: not Operation.objects.filter(Operation.drivable()).exists(), max_ticks=50)
        looked()
    run(standing.sandbox, operator, "drift.observe", name="demo")
    assert outline(looked())[:2] == [("cluster", "node_recovery", "Automatic", "None", "ana"), ("group/workers", "count", 1, 2, "ana")]
    recovery, count = Drift.objects.filter(state="open", source="cluster").order_by("resource")
    begin(operator, "drift.ignore", name="demo", drift=recovery.pk)
    begin(operator, "drift.accept", name="demo", drift=count.pk)
    assert standing.writes() == []

    labelled = run(standing.sandbox, operator, "group.update", name="demo", group="workers", labels={"team": "red"})
    assert (labelled.state, standing.writes()) == (OperationState.SUCCEEDED, ["UpdateCluster"]), failure(labelled)
    looked()
    assert (standing.describe()["NodeRecovery"], standing.counts()) == ("None", {"workers": 2})
    retention = standing.aws.read("logs", "describe_log_groups", logGroupNamePrefix="/aws/eks/demo/cluster")["logGroups"][0]
    assert retention["retentionInDays"] == 7
    assert standing.writes() == ["UpdateCluster"]

    ana.does("sagemaker", "update_cluster", ClusterName="demo", NodeRecovery="Automatic")
    ana.does("logs", "put_retention_policy", logGroupName="/aws/eks/demo/cluster", retentionInDays=30)
    fewer(ana, standing)
    bare = run(standing.sandbox, operator, "group.update", name="demo", group="workers", labels={})
    assert bare.state == OperationState.SUCCEEDED, failure(bare)


def test_a_look_that_was_asked_for_reads_anew_tells_its_progress_and_puts_nothing_back(
    standing: Standing, operator: User, ana: AnotherHand
) -> None:
    first = run(standing.sandbox, operator, "drift.observe", name="demo")
    assert (first.state, Drift.objects.count()) == (OperationState.SUCCEEDED, 0), failure(first)
    standing.mark()
    again = submit("drift.observe", {"name": "demo"}, principal_for(operator), channel="web")
    assert (again.changed, [check.code for check in again.plan.checks], calls(standing)) == (False, ["looked_just_now"], [])

    more(ana)
    ana.does("logs", "put_retention_policy", logGroupName="/aws/eks/demo/cluster", retentionInDays=7)
    standing.sandbox.forward(SECONDS_UNTIL_TOLD)
    Operation.objects.filter(pk=first.pk).update(ended_at=first.ended_at - AGAIN_AFTER)
    standing.mark()
    looked_now = run(standing.sandbox, operator, "drift.observe", name="demo")
    assert looked_now.state == OperationState.SUCCEEDED, failure(looked_now)
    assert [(step["name"], step["state"], step["message"]) for step in looked_now.steps] == [
        ("read", "ready", "The cluster was read"),
        ("compare", "ready", "1 field differs"),
        ("stack", "ready", "2 fields differ"),
    ]
    assert sorted(outline(list(Drift.objects.all()))) == [
        ("group/workers", "count", 1, 2, "ana"),
        ("stack/ControlPlaneLogs", "/RetentionInDays", "30", "7", "ana"),
    ]
    assert (standing.writes(), calls(standing).count("DetectStackDrift")) == ([], 1)
    ana.does("logs", "put_retention_policy", logGroupName="/aws/eks/demo/cluster", retentionInDays=30)
    fewer(ana, standing)


def test_what_another_hand_puts_back_meanwhile_is_not_put_back_twice(
    standing: Standing, operator: User, ana: AnotherHand, looked: Looked
) -> None:
    assert looked() == []
    more(ana)
    (count,) = looked()
    begun = begin(operator, "drift.revert", name="demo", drift=count.pk)
    fewer(ana, standing)
    drive(begun, max_ticks=500, on_idle=standing.sandbox.forward)
    begun.refresh_from_db()
    assert (begun.state, standing.writes()) == (OperationState.SUCCEEDED, []), failure(begun)
    count.refresh_from_db()
    assert (count.state, standing.counts()) == ("resolved", {"workers": 1})
    # Before the plan: nothing to do, no operation.
    more(ana)
    (count,) = looked()
    fewer(ana, standing)
    same = submit("drift.revert", {"name": "demo", "drift": count.pk}, principal_for(operator), channel="api")
    assert (same.changed, same.operation, standing.writes()) == (False, None, [])


def test_cloudformation_tells_what_of_the_stack_was_changed_and_by_whom(
    standing: Standing, operator: User, ana: AnotherHand, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    look("demo")
    standing.sandbox.forward("settled")
    assert looked() == []
    assert ClusterStack.objects.get().detection == ""
    ana.does("logs", "put_retention_policy", logGroupName="/aws/eks/demo/cluster", retentionInDays=7)
    monkeypatch.setattr(look_module, "DETECTION_EVERY", look_module.timedelta(0))
    look("demo")
    standing.sandbox.forward("settled")
    (found,) = looked()
    assert outline([found]) == [("stack/ControlPlaneLogs", "/RetentionInDays", "30", "7", "ana")]
    assert (found.source, found.physical_id) == ("stack", "/aws/eks/demo/cluster")
    with pytest.raises(Problem) as refused:
        submit("drift.revert", {"name": "demo", "drift": found.pk}, principal_for(operator), channel="api", dry_run=True)
    assert (refused.value.status, refused.value.code) == (409, "compare_first")
    assert "/stacks/control-plane/compare/ with revert_drift" in (refused.value.hint or "")
    begin(operator, "drift.accept", name="demo", drift=found.pk)
    look("demo")
    standing.sandbox.forward("settled")
    assert looked() == []
    ana.does("logs", "put_retention_policy", logGroupName="/aws/eks/demo/cluster", retentionInDays=30)
