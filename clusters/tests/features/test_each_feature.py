"""Every feature, against AWS and Kubernetes as simulated: on with a death at each point, on again, off with a death at each point."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.principals import principal_for
from clusters.choices import FeatureState
from clusters.features import REGISTRY
from clusters.tests.driving import begin, failure
from clusters.tests.features.conftest import Rig, request
from clusters.tests.groups.meanwhile import Meanwhile
from clusters.tests.test_kill import Killer, survive
from instantstart import cloud
from instantstart.problem import Problem
from operations import points
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Intent, Operation
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

WORKSPACE = "arn:aws:aps:us-west-2:123456789012:workspace/ws-0a1b2c3d-0000-4444-8888-0123456789ab"
SETTINGS: dict[str, Any] = {"observability": {"workspace_arn": WORKSPACE}}
WITHOUT_CHART = ("kuberay",)
"""Its chart is not part of the project."""
KILLED = ("training_operator", "tiered_checkpointing")
"""One of each make: an add-on with a role by pod identity, and a chain of identity with a setting of HyperPod. The others are made of
the same parts, and the deaths are the engine's, so that these two stand for them."""
OF_GROUPS = ("node_autoscaling",)
"""Needs groups of its own: see test_node_autoscaling."""
TOGETHER = [name for name in REGISTRY if name not in (*KILLED, *WITHOUT_CHART, *OF_GROUPS)]


@pytest.mark.parametrize("name", KILLED)
def test_a_feature_comes_and_goes_once_however_often_the_driver_dies(rig: Rig, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    wanted = request(cascade=True, **{name: SETTINGS.get(name, True)})
    killer = Killer()
    monkeypatch.setattr(points, "reach", killer.reach)
    made, deaths = survive(rig.sandbox, rig.operator, "feature.set", key="on", **wanted)
    assert made.state == OperationState.SUCCEEDED, failure(made)
    assert deaths == len(killer.reached) > 10
    moved = made.plan["basis"]["features"]
    assert {one: rig.seen(one).state for one in moved} == dict.fromkeys(moved, FeatureState.ACTIVE)
    assert not Intent.objects.filter(ended_at=None).exists()

    mark, operations = rig.now(), Operation.objects.count()
    again = submit("feature.set", wanted, principal_for(rig.operator), channel="api")
    assert (again.changed, again.operation, Operation.objects.count()) == (False, None, operations)
    assert rig.writes_since(mark) == []

    killer = Killer()
    monkeypatch.setattr(points, "reach", killer.reach)
    unwanted = request(cascade=True, **dict.fromkeys(moved, False))
    gone, deaths = survive(rig.sandbox, rig.operator, "feature.set", key="off", **unwanted)
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert deaths == len(killer.reached) > 10
    assert {one: rig.seen(one).state for one in moved} == dict.fromkeys(moved, FeatureState.ABSENT)
    assert rig.ledger() - rig.before == set()


def test_two_features_set_at_once_keep_out_of_each_others_way(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hangs together with what is under way waits its turn, however late it is seen; one that does not goes on beside it."""
    rig.done(fsx_csi=True)
    meanwhile = Meanwhile(monkeypatch)
    begun: list[Operation] = []
    # Somebody takes away what is needed, after the plan that saw it and before it is recorded.
    meanwhile.at("submit.before", lambda: begun.append(begin(rig.operator, "feature.set", **request(fsx_csi=False))))
    mark = rig.now()
    with pytest.raises(Problem) as refused:
        submit("feature.set", request(inference_operator=True, cascade=True), principal_for(rig.operator), channel="api")
    assert (refused.value.code, refused.value.extra["operation"]) == ("operation_in_progress", str(begun[0].pk))
    assert (Operation.objects.filter(kind="feature.set").count(), rig.writes_since(mark)) == (2, [])

    # Another feature, between our look and our call; and another hand's after it.
    meanwhile.at("call.before", lambda: begun.append(begin(rig.operator, "feature.set", **request(task_governance=True))))
    aws = cloud.connect("us-west-2")
    meanwhile.at("call.after", lambda: aws.write("eks", "create_addon", clusterName="demo", addonName="metrics-server"))
    for index in (0, 1):
        drive(begun[index], max_ticks=2000, on_idle=lambda: rig.sandbox.forward("next"))
        begun[index].refresh_from_db()
        assert begun[index].state == OperationState.SUCCEEDED, failure(begun[index])
    assert meanwhile.waiting == []
    assert {name: rig.seen(name).state for name in ("fsx_csi", "task_governance", "inference_operator")} == {
        "fsx_csi": FeatureState.ABSENT,
        "task_governance": FeatureState.ACTIVE,
        "inference_operator": FeatureState.ABSENT,
    }
    made = [one for one in rig.writes_since(mark) if one.startswith("eks:")]
    assert sorted(made) == ["eks:CreateAddon", "eks:CreateAddon", "eks:DeleteAddon"]
    assert aws.read("eks", "describe_addon", clusterName="demo", addonName="metrics-server")["addon"]["status"] == "ACTIVE"
    aws.write("eks", "delete_addon", clusterName="demo", addonName="metrics-server")
    rig.sandbox.forward("settled")
    rig.done(task_governance=False)
    assert rig.ledger() - rig.before == set()


def test_all_others_come_in_one_request_stay_untouched_by_a_second_and_go_in_a_third(rig: Rig) -> None:
    wanted = {name: SETTINGS.get(name, True) for name in TOGETHER}
    made = rig.done(**wanted)
    order = made.plan["basis"]["order"]
    assert sorted(order) == sorted(TOGETHER)
    assert max(order.index("fsx_csi"), order.index("metrics_server")) < order.index("inference_operator")
    assert {name: rig.seen(name).state for name in TOGETHER} == dict.fromkeys(TOGETHER, FeatureState.ACTIVE)

    mark = rig.now()
    again = submit("feature.set", request(**wanted), principal_for(rig.operator), channel="api")
    assert (again.changed, again.operation, rig.writes_since(mark)) == (False, None, [])

    with pytest.raises(Problem) as refused:
        submit("feature.set", request(fsx_csi=False), principal_for(rig.operator), channel="api")
    assert {error.code: error.detail for error in refused.value.errors} == {
        "feature_needed": "FSx CSI driver is needed by Inference operator."
    }
    plan = submit("feature.set", request(fsx_csi=False, cascade=True), principal_for(rig.operator), channel="api", dry_run=True).plan
    assert (plan.basis["order"], plan.errors) == (["inference_operator", "fsx_csi"], ())
    assert rig.writes_since(mark) == []

    rig.done(**dict.fromkeys(TOGETHER, False))
    assert {name: rig.seen(name).state for name in TOGETHER} == dict.fromkeys(TOGETHER, FeatureState.ABSENT)
    assert rig.ledger() - rig.before == set()
