"""Every fault of the sandbox on every write of features: it ends right, each thing made once; or it says what failed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from clusters.choices import FeatureState
from clusters.tests.driving import begin, failure
from clusters.tests.features.conftest import Rig, is_write, request
from clusters.tests.features.every import WORKSPACE
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

NAMES = ("training_operator", "tiered_checkpointing", "observability")
"""Made of every kind of part that AWS keeps."""
ON: dict[str, Any] = {"training_operator": True, "tiered_checkpointing": True, "observability": {"workspace_arn": WORKSPACE}}
LIFE: tuple[tuple[dict[str, Any], dict[str, int]], ...] = (
    (ON, {"iam:CreateRole": 3, "iam:PutRolePolicy": 3, "eks:CreateAddon": 2, "sagemaker:UpdateCluster": 1}),
    (
        {"observability": {"workspace_arn": WORKSPACE.replace("ws-0a1b2c3d", "ws-4e5f6a7b")}},
        {"iam:PutRolePolicy": 1, "eks:UpdateAddon": 1},
    ),
    (
        dict.fromkeys(NAMES, False),
        {"eks:DeleteAddon": 2, "iam:DeleteRolePolicy": 3, "iam:DeleteRole": 3, "sagemaker:UpdateCluster": 1},
    ),
)
"""Each change, and how often it calls what."""
TROUBLES = {
    "refused for a while, then the reply lost": ({"throttle": 5}, {"reset": 1}, {"error:ExpiredTokenException": 1}, {"reply_lost": 1}),
    "500 after the effect": ({"error_after": 1},),
}
"""What each call meets, one after the other."""


def effects(rig: Rig, mark: int) -> Counter[str]:
    """Writes that had an effect, whether their reply came or not."""
    writes = [one for one in rig.sandbox.requests(since=str(mark), limit="10000") if is_write(one)]
    told = [one for one in writes if one["fault"] in ("reply_lost", "error_after") or not (one["code"] or one["fault"])]
    return Counter(f"{one['service']}:{one['operation']}" for one in told)


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_with_each_call_is_overcome_and_nothing_is_made_twice(rig: Rig, trouble: str) -> None:
    for changes, calls in LIFE:
        for api, times in calls.items():
            service, operation = api.split(":")
            for fault in TROUBLES[trouble] * times:
                for kind, count in fault.items():
                    rig.sandbox.fault(kind=kind, service=service, operation=operation, count=count)
        mark = rig.now()
        rig.done(**changes)
        assert {fault["struck"] - fault["count"] for fault in rig.sandbox.faults()} == {0}
        assert effects(rig, mark) == Counter(calls)
        rig.sandbox.no_faults()
    assert {name: rig.seen(name).state for name in NAMES} == dict.fromkeys(NAMES, FeatureState.ABSENT)
    assert rig.ledger() - rig.before == set()


def test_a_call_that_is_denied_is_named_and_the_next_try_goes_on_from_there(rig: Rig) -> None:
    for changes, calls in (LIFE[0], LIFE[2]):
        mark = rig.now()
        for api in calls:
            service, operation = api.split(":")
            rig.sandbox.fault(kind="access_denied", service=service, operation=operation)
            denied = rig.set(**changes)
            assert (denied.state, denied.error_code.startswith("AccessDenied")) == (OperationState.FAILED, True), failure(denied)
            assert f"{service}:{operation}" in denied.error_message
            assert denied.step.startswith(tuple(f"{prefix}{name.replace('_', '-')}-" for name in NAMES for prefix in ("", "remove-")))
            rig.sandbox.no_faults()
        rig.done(**changes)
        assert effects(rig, mark) == Counter(calls)
    assert rig.ledger() - rig.before == set()


def test_where_one_of_several_fails_the_earlier_are_on_and_the_later_as_they_were(rig: Rig) -> None:
    three = {"training_operator": True, "task_governance": True, "container_insights": True}
    rig.sandbox.fault(kind="access_denied", service="eks", operation="CreateAddon", skip=1)
    tried = rig.set(**three)
    assert (tried.state, tried.step) == (OperationState.FAILED, "task-governance-addon"), failure(tried)
    states = {name: rig.seen(name).state for name in three}
    assert states == {
        "training_operator": FeatureState.ACTIVE,
        "task_governance": FeatureState.ABSENT,
        "container_insights": FeatureState.ABSENT,
    }
    assert {name for kind, name in rig.ledger() - rig.before if kind == "iam.role"} == {"instantstart-demo-training"}
    rig.sandbox.no_faults()
    rig.done(**dict.fromkeys(three, False))
    assert rig.ledger() - rig.before == set()


def waited(rig: Rig, operation: Operation) -> list[str]:
    """Drives it to its end, without faults as soon as it has to wait; its state then. (A look into a partition takes seconds.)"""
    states: list[str] = []

    def idle() -> None:
        operation.refresh_from_db()
        states.append(operation.state)
        rig.sandbox.no_faults()
        rig.sandbox.forward()

    drive(operation, max_ticks=2000, on_idle=idle)
    operation.refresh_from_db()
    return states[:1]


@pytest.mark.parametrize(
    "scenario", [{"scenario": "expired_credentials"}, {"scenario": "kube_partition", "cluster": "demo"}], ids=lambda one: one["scenario"]
)
def test_who_cannot_get_in_waits_until_that_is_over(rig: Rig, scenario: dict[str, Any]) -> None:
    operation = begin(rig.operator, "feature.set", **request(tiered_checkpointing=True))
    rig.sandbox.fault(**scenario)
    assert waited(rig, operation) == [OperationState.RUNNING]
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    rig.done(tiered_checkpointing=False)
    assert rig.ledger() - rig.before == set()
