"""A managed feature that another hand removed: told with who did it, and put back by the one call that makes it."""

from __future__ import annotations

from typing import Any

import pytest

from clusters.drift.look import look
from clusters.models import Drift
from clusters.observers import ClusterObserver
from clusters.tests.driving import failure, run
from clusters.tests.features.conftest import Rig, kept, rig
from instantstart import cloud
from operations.choices import OperationState

__all__ = ["kept", "rig"]
pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def looked(rig: Rig) -> list[tuple[str, str, Any, Any, str]]:
    ClusterObserver().observe("demo")
    rig.sandbox.forward(300.0)
    look("demo")
    rows = Drift.objects.filter(state="open").order_by("resource", "field")
    return [(one.resource, one.field, one.desired, one.observed, one.event_name) for one in rows]


def test_a_feature_removed_elsewhere_is_put_back_by_one_call(rig: Rig) -> None:
    rig.done(metrics_server=True)
    assert looked(rig) == []
    cloud.connect("us-west-2").write("eks", "delete_addon", clusterName="demo", addonName="metrics-server")
    rig.sandbox.forward("settled")
    assert looked(rig) == [("feature/metrics_server", "there", True, False, "DeleteAddon")]
    mark = rig.now()
    drift = Drift.objects.get()
    back = run(rig.sandbox, rig.operator, "drift.revert", name="demo", drift=drift.pk)
    assert back.state == OperationState.SUCCEEDED, failure(back)
    assert rig.writes_since(mark) == ["eks:CreateAddon"]
    drift.refresh_from_db()
    assert (drift.state, looked(rig)) == ("resolved", [])
    rig.done(metrics_server=False)
