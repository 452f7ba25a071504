"""Killed at each point, and with replies lost, refused and late, changes of groups end the same: nothing twice, nothing lost."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from clusters.tests.driving import failure, run
from clusters.tests.groups.standing import Standing
from clusters.tests.test_kill import Killer, survive
from operations import points
from operations.choices import OperationState

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CPU = "ml.m5.xlarge"
CHAIN: tuple[tuple[str, dict[str, Any], dict[str, int], str], ...] = (
    ("group.add", {"groups": [{"name": "cpu", "instance_type": CPU, "count": 1}]}, {"workers": 1, "cpu": 1}, "UpdateCluster"),
    ("group.scale", {"group": "cpu", "count": 3}, {"workers": 1, "cpu": 3}, "BatchAddClusterNodes"),
    ("group.update", {"group": "cpu", "labels": {"team": "red"}}, {"workers": 1, "cpu": 3}, "UpdateCluster"),
    ("group.scale", {"group": "cpu", "count": 1}, {"workers": 1, "cpu": 1}, "BatchDeleteClusterNodes"),
    ("group.delete", {"group": "cpu", "confirm": "cpu"}, {"workers": 1}, "UpdateCluster"),
)
"""A group's life: each change, what the groups are to have then, and the call it takes."""
TROUBLES = ("reply_lost", "error_after", "throttle", "error:ConflictException", "error:ExpiredTokenException")


def test_changes_of_groups_that_die_once_at_each_point_end_the_same(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer()
    standing.sandbox.call("POST", "clock", {"pause": True})  # so that each change has to be waited for, which is one of the points
    for number, (kind, raw, counts, call) in enumerate(CHAIN):
        standing.mark()
        if number % 2 == 0:  # every other change dies around its call once more; the others get past it
            killer.to_come |= {"call.before", "call.after"}
        with monkeypatch.context() as patched:
            patched.setattr(points, "reach", killer.reach)
            ended, deaths = survive(standing.sandbox, operator, kind, key=str(number), name="demo", **raw)
        assert ended.state == OperationState.SUCCEEDED, failure(ended)
        assert deaths or number % 2
        assert standing.counts() == counts
        # A driver that died may send its call again, under the same token or name, to no further effect.
        assert set(standing.writes()) == {call}
    standing.sandbox.call("POST", "clock", {"resume": True})
    assert (killer.to_come, killer.reached) == (set(), set(points.POINTS))


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_with_every_call_on_groups_ends_the_same(standing: Standing, operator: User, trouble: str) -> None:
    for kind, raw, counts, call in CHAIN:
        standing.sandbox.no_faults()
        standing.sandbox.fault(kind=trouble, service="sagemaker", operation=call, count=1)
        ended = run(standing.sandbox, operator, kind, name="demo", **raw)
        assert ended.state == OperationState.SUCCEEDED, (trouble, failure(ended))
        assert standing.counts() == counts
        assert [fault["struck"] for fault in standing.sandbox.faults()] == [1]


NODE_CHAIN: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("node.drain", {}, ""),
    ("node.cordon", {"enabled": False}, ""),
    ("node.reboot", {}, "BatchRebootClusterNodes"),
    ("node.replace", {}, "BatchReplaceClusterNodes"),
    ("node.delete", {}, "BatchDeleteClusterNodes"),
)


def test_changes_of_nodes_that_die_around_their_call_are_sent_once(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = run(standing.sandbox, operator, "group.add", name="demo", groups=[{"name": "few", "instance_type": CPU, "count": 1}])
    assert added.state == OperationState.SUCCEEDED, failure(added)
    killer = Killer()
    for kind, raw, call in NODE_CHAIN:
        standing.mark()
        # Dead before a call of which nobody can tell whether it left: such an operation is unknown, see test_nodes.
        killer.to_come = {"call.after", "intent.committed", "step.before", "step.committed", "end.before", "leave.committed"}
        [node] = standing.nodes("few")
        with monkeypatch.context() as patched:
            patched.setattr(points, "reach", killer.reach)
            ended, deaths = survive(standing.sandbox, operator, kind, key=kind, name="demo", nodes=[node["InstanceId"]], **raw)
        assert ended.state == OperationState.SUCCEEDED, failure(ended)
        assert deaths >= 3
        assert standing.writes() == ([call] if call else [])
    assert standing.counts() == {"workers": 1, "few": 0}
    gone = run(standing.sandbox, operator, "group.delete", name="demo", group="few", confirm="few")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)


def test_a_driver_that_dies_before_a_reboot_leaves_an_unknown_outcome_and_no_second_call(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer()
    killer.to_come = {"call.before"}
    [node] = standing.nodes("workers")
    with monkeypatch.context() as patched:
        patched.setattr(points, "reach", killer.reach)
        ended, deaths = survive(standing.sandbox, operator, "node.reboot", name="demo", nodes=[node["InstanceId"]])
    assert (ended.state, ended.error_code, deaths, standing.writes()) == (OperationState.UNKNOWN, "outcome_unknown", 1, [])
