"""When a rebooted node is back: what HyperPod and Kubernetes tell of it need not be of the same start."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clusters.reading.hyperpod import InstanceReading, kubernetes_name
from clusters.reading.kubernetes import NodeReading
from clusters.steps.base import Subject
from clusters.steps.nodes import NodesBack, RebootNodes
from operations import clock
from operations.choices import StepState

ID = "i-0123456789abcdef0"
BEGAN = clock.now()
PLANNED = {"instance_id": ID, "logical_id": "l", "boot_id": "first", "health": "Schedulable", "group": "workers", "told": ""}


def look(status: str, boot: str, ready: bool) -> tuple[StepState, str]:
    """What the wait for a reboot says, of which HyperPod has told in an event, at this status and this start in Kubernetes."""
    item = InstanceReading(ID, "l", "workers", "ml.g5.8xlarge", status, "", "", None)
    node = NodeReading(kubernetes_name(ID), ready, True, "Schedulable", "usw2-az1", {}, boot)
    event = SimpleNamespace(instance_id=ID, at=BEGAN, description=f"Instance {ID} is rebooting.", group_name="workers", level="Info")
    reader: Any = SimpleNamespace(region="us-west-2", hyperpod_name="demo", instances=[item], nodes=[node], events=[event])
    operation = SimpleNamespace(started_at=BEGAN, created_at=BEGAN)
    context: Any = SimpleNamespace(operation=operation, facts={})
    subject: Any = Subject.__new__(Subject)
    seen = NodesBack(subject, RebootNodes(subject, [PLANNED])).look(reader, context)
    return seen.state, seen.message


@pytest.mark.parametrize(
    ("status", "boot", "ready", "message"),
    [
        ("Pending", "first", True, "has not restarted yet"),
        ("Running", "first", True, "has not restarted yet"),
        ("Pending", "second", True, "is Pending"),
        ("Running", "second", False, "is not Ready in Kubernetes"),
    ],
)
def test_a_node_that_has_not_started_anew_is_not_back_whatever_hyperpod_says(status: str, boot: str, ready: bool, message: str) -> None:
    state, said = look(status, boot, ready)
    assert (state, said) == (StepState.PENDING, f"0 of 1 are back: {ID} {message}")


def test_a_node_is_back_that_runs_and_is_ready_since_another_start() -> None:
    assert look("Running", "second", True) == (StepState.READY, "1 node is back")
