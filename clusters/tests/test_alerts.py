"""What looks say is the matter with nodes and capacity."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from clusters.choices import EventLevel
from clusters.models import Cluster, ClusterEvent
from clusters.observing.alerts import tell
from clusters.observing.look import Look
from clusters.tests.rows import make_cluster
from operations import clock
from operations.choices import OperationState
from operations.models import Alert, Operation

pytestmark = pytest.mark.django_db


@pytest.fixture
def row() -> Cluster:
    return make_cluster(nodes=2)


def look(row: Cluster, **changes: Any) -> list[str]:
    """A look at which all was read; what is open after it."""
    seen = Look(clock.now())
    seen.hyperpod_read, seen.instances, seen.nodes = True, [], []
    for name, value in changes.items():
        setattr(seen, name, value)
    tell(row, seen)
    return list(Alert.objects.filter(closed_at=None).order_by("id").values_list("subject", flat=True))


def hurt(row: Cluster, **fields: Any) -> str:
    key = f"i-{1:017x}"
    row.nodes.filter(key=key).update(**fields)
    return f"node:demo/{key}"


def test_a_node_that_is_not_well_is_an_alert_until_it_is(row: Cluster) -> None:
    assert look(row) == []
    subject = hurt(row, health="UnschedulablePendingReplacement")
    assert look(row) == look(row) == [subject]
    alert = Alert.objects.get()
    assert alert.sentence.endswith("is not well. Its health is UnschedulablePendingReplacement.")
    assert alert.fix == "Replace it. HyperPod's health monitoring marked the node for replacement."
    assert alert.link == f"/clusters/demo/nodes/i-{1:017x}/"
    hurt(row, health="Schedulable")
    assert look(row) == []


def test_what_kubernetes_could_not_be_asked_about_neither_opens_nor_closes(row: Cluster) -> None:
    subject = hurt(row, ready=False)
    assert look(row, nodes=None) == []
    assert look(row) == [subject]
    hurt(row, ready=None)
    assert look(row, nodes=None) == [subject]


def test_a_node_that_boots_or_that_an_operation_reboots_is_no_alert(row: Cluster) -> None:
    subject = hurt(row, ready=False, launched_at=clock.now() - timedelta(minutes=1))
    assert look(row) == []
    hurt(row, launched_at=clock.now() - timedelta(hours=1))
    reboot = Operation.objects.create(
        kind="node.reboot",
        subject_type="node",
        subject="demo/x",
        cluster="demo",
        channel="api",
        input={"nodes": [f"i-{1:017x}"]},
        state=OperationState.RUNNING,
        created_at=clock.now(),
    )
    assert look(row) == []
    Operation.objects.filter(pk=reboot.pk).update(state=OperationState.SUCCEEDED)
    assert look(row) == [subject]


def test_a_group_that_misses_nodes_is_an_alert_once_hyperpod_says_why_until_all_are_there(row: Cluster) -> None:
    row.groups.update(target_count=16, current_count=11)
    assert look(row) == []  # on their way, for all that is known
    event = ClusterEvent.objects.create(
        cluster=row,
        event_id="e",
        at=clock.now(),
        level=EventLevel.ERROR,
        group_name="workers",
        description="Insufficient capacity.",
        hint="Wait.",
    )
    assert look(row) == ["group:demo/workers"]
    alert = Alert.objects.get()
    assert alert.sentence == "Group workers of demo asked for 16 nodes and has 11. HyperPod: Insufficient capacity."
    ClusterEvent.objects.filter(pk=event.pk).update(at=clock.now() - timedelta(days=1))
    assert look(row) == ["group:demo/workers"]
    assert look(row, hyperpod_read=False) == ["group:demo/workers"]
    row.groups.update(current_count=16)
    assert look(row) == []
