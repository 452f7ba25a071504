"""A stack brought to what is meant, by a change set: worked out, looked at, carried out; nothing left behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters import names
from clusters.drift import look as look_module
from clusters.models import ClusterStack, Drift, Resource
from clusters.template import logs
from clusters.tests.drift.conftest import AnotherHand
from clusters.tests.driving import failure, run
from clusters.tests.groups.standing import Standing
from instantstart.problem import Problem
from operations.action import find
from operations.choices import OperationState, Risk
from operations.models import Operation
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
Looked = Callable[[], list[Drift]]
STACK = names.stack("demo")
LOGS = "/aws/eks/demo/cluster"


def planned(who: User, kind: str, **raw: Any) -> Any:
    return submit(kind, {"name": "demo", **raw}, principal_for(who), channel="api", dry_run=True).plan


def refusal(who: User, kind: str, **raw: Any) -> str:
    with pytest.raises(Problem) as refused:
        planned(who, kind, **raw)
    return str(refused.value.code)


def change_sets(standing: Standing) -> list[str]:
    """Those that nobody carried out."""
    rows = standing.aws.pages("cloudformation", "list_change_sets", "Summaries", StackName=STACK)
    return [one["ChangeSetName"] for one in rows if not one["ExecutionStatus"].startswith("EXECUTE")]


def done(standing: Standing, who: User, kind: str, **raw: Any) -> Operation:
    operation = run(standing.sandbox, who, kind, name="demo", **raw)
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    return operation


def retention(standing: Standing) -> int:
    return int(standing.aws.read("logs", "describe_log_groups", logGroupNamePrefix=LOGS)["logGroups"][0]["retentionInDays"])


def test_drift_of_a_stack_is_put_back_by_the_change_set_that_was_looked_at(standing: Standing, operator: User, ana: AnotherHand) -> None:
    # As it was made: nothing to work out, no call.
    standing.mark()
    same = submit("stack.compare", {"name": "demo"}, principal_for(operator), channel="api")
    assert (same.changed, standing.writes()) == (False, [])
    # Asked for drift where there is none: CloudFormation says so, and nothing is left of it.
    none = done(standing, operator, "stack.compare", revert_drift=True)
    assert standing.writes() == ["CreateChangeSet", "DeleteChangeSet"]
    assert (none.message, ClusterStack.objects.get().change_set, change_sets(standing)) == (
        "Nothing would change: the stack is as it should be",
        "",
        [],
    )
    assert refusal(operator, "stack.update") == "compare_first"

    ana.does("logs", "put_retention_policy", logGroupName=LOGS, retentionInDays=7)
    done(standing, operator, "drift.observe")
    (drift,) = Drift.objects.filter(source="stack", state="open")
    assert refusal(operator, "drift.revert", drift=drift.pk) == "compare_first"
    standing.mark()
    done(standing, operator, "stack.compare", revert_drift=True)
    assert (standing.writes(), retention(standing)) == (["CreateChangeSet"], 7)
    # Worked out again: what was left behind goes first.
    standing.mark()
    again = done(standing, operator, "stack.compare", revert_drift=True)
    assert standing.writes() == ["DeleteChangeSet", "CreateChangeSet"]
    assert change_sets(standing) == [f"instantstart-{again.pk.hex}"]
    mark = ClusterStack.objects.get()
    assert [(one["action"], one["logical_id"], one["replacement"]) for one in mark.changes] == [("Modify", "ControlPlaneLogs", "False")]

    plan = planned(operator, "stack.update")
    (change,) = plan.changes
    assert (change.resource_type, change.name, change.action) == ("AWS::Logs::LogGroup", f"ControlPlaneLogs ({LOGS})", "update")
    assert [(one.field, one.before, one.after) for one in change.fields] == [("/RetentionInDays", "7", "30")]
    assert (find("stack.update").risk_of(plan), plan.checks) == (Risk.DISRUPTIVE, ())
    # The drift's own button carries out the same.
    standing.mark()
    back = done(standing, operator, "drift.revert", drift=drift.pk)
    assert (standing.writes(), retention(standing)) == (["ExecuteChangeSet"], 30)
    assert back.facts["verify-stack"] == {"left": []}
    drift.refresh_from_db()
    assert (drift.state, change_sets(standing), ClusterStack.objects.get().status) == ("resolved", [], "UPDATE_COMPLETE")


def test_a_stack_of_an_older_release_is_brought_to_this_one(
    standing: Standing, operator: User, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_module, "DETECTION_EVERY", look_module.timedelta(0))
    with monkeypatch.context() as newer:
        newer.setattr(logs, "RETENTION_DAYS", 60)
        looked()
        assert ClusterStack.objects.get().behind == ["ControlPlaneLogs"]
        standing.mark()
        done(standing, operator, "stack.compare")
        (change,) = planned(operator, "stack.update").changes
        assert [(one.field, one.before, one.after) for one in change.fields] == [("RetentionInDays", "30", "60")]
        done(standing, operator, "stack.update")
        assert (standing.writes(), retention(standing), ClusterStack.objects.get().behind) == (
            ["CreateChangeSet", "ExecuteChangeSet"],
            60,
            [],
        )
        # Thrown away, the stack stays; and what has become another meanwhile is not carried out.
        newer.setattr(logs, "RETENTION_DAYS", 90)
        done(standing, operator, "stack.compare")
        standing.mark()
        done(standing, operator, "stack.discard")
        assert (standing.writes(), change_sets(standing), retention(standing)) == (["DeleteChangeSet"], [], 60)
        same = submit("stack.discard", {"name": "demo"}, principal_for(operator), channel="api")
        assert same.changed is False
    done(standing, operator, "stack.compare")
    done(standing, operator, "stack.update")
    assert retention(standing) == 30


def test_what_is_replaced_needs_the_stacks_name(standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "eks_log_group", lambda _: "/aws/eks/other/cluster")
    done(standing, operator, "stack.compare")
    plan = planned(operator, "stack.update")
    assert [check.code for check in plan.errors] == ["confirmation_missing"]
    assert [one.what for one in plan.irreversible] == [f"AWS::Logs::LogGroup ControlPlaneLogs ({LOGS})"]
    assert ("replacement", LOGS, "another resource") in [(one.field, one.before, one.after) for one in plan.changes[0].fields]
    assert find("stack.update").risk_of(plan) == Risk.DESTRUCTIVE
    assert planned(operator, "stack.update", confirm=STACK).errors == ()
    done(standing, operator, "stack.discard")


def test_stacks_of_groups_have_rows_of_their_own_and_drift(standing: Standing, operator: User, ana: AnotherHand) -> None:
    done(standing, operator, "group.add", groups=[{"name": "own", "instance_type": "ml.m5.xlarge", "count": 0, "subnet": "dedicated"}])
    done(standing, operator, "drift.observe")
    assert list(ClusterStack.objects.values_list("part", "status", "behind")) == [
        ("control-plane", ClusterStack.objects.get(part="control-plane").status, []),
        ("group-own", "CREATE_COMPLETE", []),
    ]
    rows = Resource.objects.filter(stack="group-own")
    assert sorted(rows.values_list("resource_type", flat=True)) == [
        "AWS::CloudFormation::Stack",
        "AWS::EC2::Route",
        "AWS::EC2::RouteTable",
        "AWS::EC2::Subnet",
        "AWS::EC2::SubnetRouteTableAssociation",
        "AWS::EC2::VPCEndpoint",
    ]
    subnet = rows.get(resource_type="AWS::EC2::Subnet").physical_id
    ana.does("ec2", "create_tags", Resources=[subnet], Tags=[{"Key": "Name", "Value": "mine"}])
    Operation.objects.filter(kind="drift.observe").update(ended_at="2026-01-01T00:00:00Z")
    done(standing, operator, "drift.observe")
    (drift,) = Drift.objects.filter(source="stack", state="open")
    assert (drift.resource, drift.observed, drift.physical_id) == ("stack/group-own/Subnet", "mine", subnet)
    done(standing, operator, "stack.compare", stack="group-own", revert_drift=True)
    done(standing, operator, "stack.update", stack="group-own")
    drift.refresh_from_db()
    assert drift.state == "resolved"
    done(standing, operator, "group.delete", group="own", confirm="own")
    Operation.objects.filter(kind="drift.observe").update(ended_at="2026-01-01T00:00:00Z")
    done(standing, operator, "drift.observe")
    assert (list(ClusterStack.objects.values_list("part", flat=True)), rows.count()) == (["control-plane"], 0)
