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
