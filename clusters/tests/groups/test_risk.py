"""What waits for a person when an agent asks: whatever takes nodes with their disks."""

from __future__ import annotations

import pytest

from operations import action as actions
from operations.choices import Risk
from operations.plan import Irreversible, Plan


@pytest.mark.parametrize(("lost", "risk"), [((), Risk.DISRUPTIVE), ((Irreversible(what="2 nodes", why="gone"),), Risk.DESTRUCTIVE)])
def test_scaling_a_group_down_is_destructive_and_up_is_not(lost: tuple[Irreversible, ...], risk: Risk) -> None:
    assert actions.find("group.scale").risk_of(Plan(kind="group.scale", summary="Scale", irreversible=lost)) == risk


@pytest.mark.parametrize(
    ("enabled", "state", "lost", "risk"),
    [
        (True, "active", False, Risk.DISRUPTIVE),
        (False, "absent", False, Risk.DISRUPTIVE),
        (False, "active", False, Risk.DESTRUCTIVE),
        (False, "unknown", False, Risk.DESTRUCTIVE),
        (False, "absent", True, Risk.DESTRUCTIVE),
    ],
)
def test_turning_off_what_others_need_or_what_does_not_come_back_is_destructive(enabled: bool, state: str, lost: bool, risk: Risk) -> None:
    plan = Plan(
        kind="feature.set",
        summary="Turn it off",
        irreversible=(Irreversible(what="Its volume", why="gone"),) if lost else (),
        basis={"wishes": {"fsx_csi": {"enabled": enabled}}, "states": {"fsx_csi": "active", "inference_operator": state}},
    )
    assert actions.find("feature.set").risk_of(plan) == risk


@pytest.mark.parametrize(("lost", "risk"), [((), Risk.DISRUPTIVE), ((Irreversible(what="2 nodes", why="gone"),), Risk.DESTRUCTIVE)])
def test_putting_a_count_back_is_as_destructive_as_scaling_to_it(lost: tuple[Irreversible, ...], risk: Risk) -> None:
    plan = Plan(kind="drift.revert", summary="Put it back", irreversible=lost, basis={"by": "group.scale"})
    assert actions.find("drift.revert").risk_of(plan) == risk
