"""What waits for a person when an agent asks: whatever takes nodes with their disks."""

from __future__ import annotations

import pytest

from operations import action as actions
from operations.choices import Risk
from operations.plan import Irreversible, Plan


@pytest.mark.parametrize(("lost", "risk"), [((), Risk.DISRUPTIVE), ((Irreversible(what="2 nodes", why="gone"),), Risk.DESTRUCTIVE)])
def test_scaling_a_group_down_is_destructive_and_up_is_not(lost: tuple[Irreversible, ...], risk: Risk) -> None:
    assert actions.find("group.scale").risk_of(Plan(kind="group.scale", summary="Scale", irreversible=lost)) == risk
