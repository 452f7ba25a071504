"""Every feature, against AWS and Kubernetes as simulated: on, again, changed, ill, off, again; with a death around every call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from accounts.principals import principal_for
from clusters.choices import FeatureState
from clusters.features import REGISTRY
from clusters.features.addon import AddonFeature
from clusters.models import ClusterFeature
from clusters.tests.driving import begin, failure
from clusters.tests.features.conftest import Rig, request
from clusters.tests.features.every import BRINGS, GROUPS, ON, STAYS, WORKSPACE, write_chart
from clusters.tests.groups.meanwhile import Meanwhile
from clusters.tests.test_kill import Died, Killer, survive
from instantstart import cloud
from instantstart.problem import Problem
from operations import points
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Intent, Operation
from operations.plan import Plan
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

OTHER_WORKSPACE = WORKSPACE.replace("ws-0a1b2c3d", "ws-4e5f6a7b")
DRAWN_IN = "inference_operator"
"""Turned off because FSx CSI is."""
CALLS = {
    "AWS::IAM::Role": ("iam:CreateRole", "iam:DeleteRole"),
    "AWS::IAM::RolePolicy": ("iam:PutRolePolicy", "iam:DeleteRolePolicy"),
    "AWS::EKS::Addon": ("eks:CreateAddon", "eks:DeleteAddon"),
    "AutoScaling": ("sagemaker:UpdateCluster", "sagemaker:UpdateCluster"),
    "TieredStorageConfig": ("sagemaker:UpdateCluster", "sagemaker:UpdateCluster"),
}
"""By kind of part: what makes it, what takes it away. The other parts are Kubernetes' own."""


class EachCallKiller(Killer):
    """Dies once at each point, and besides once before and once after the call of every step."""

    def __init__(self) -> None:
        super().__init__()
        self.struck: dict[str, set[str]] = {"call.before": set(), "call.after": set()}

    def reach(self, point: str) -> None:
        if point in self.struck:
            step = Operation.objects.get(kind="feature.set", state=OperationState.RUNNING).step
            if step not in self.struck[point]:
                self.struck[point].add(step)
                self.to_come.discard(point)
                self.reached.add(point)
                raise Died(f"{point} of {step}")
        super().reach(point)


@pytest.fixture
def land(rig: Rig, settings: Any, tmp_path: Path) -> Rig:
    """With what every feature needs: groups without instances, a chart."""
    settings.KUBERAY_CHART = write_chart(tmp_path / "chart")
    rig.group(**GROUPS)
    return rig


def planned(rig: Rig, *, cascade: bool = False, **changes: Any) -> Plan:
    return submit("feature.set", request(cascade=cascade, **changes), principal_for(rig.operator), channel="api", dry_run=True).plan


def refused(rig: Rig, **changes: Any) -> dict[str, str]:
    with pytest.raises(Problem) as problem:
        submit("feature.set", request(**changes), principal_for(rig.operator), channel="api")
    return {error.code: error.detail for error in problem.value.errors}


def nothing_happens(rig: Rig, **changes: Any) -> None:
    """What is so already is neither an operation nor a call."""
    mark, operations = rig.now(), Operation.objects.count()
    again = submit("feature.set", request(**changes), principal_for(rig.operator), channel="api")
    assert (again.changed, again.operation, Operation.objects.count()) == (False, None, operations)
    assert rig.writes_since(mark) == []


def states(rig: Rig, names: Iterable[str] = REGISTRY) -> dict[str, FeatureState]:
    return {name: rig.seen(name).state for name in names}


def kept(rig: Rig) -> dict[str, FeatureState]:
    """As pages show them after two looks."""
    for _ in range(2):
        rig.look()
    return {row.name: FeatureState(row.state) for row in ClusterFeature.objects.all()}


def endpoint() -> dict[str, Any]:
    worker = {"image": "vllm", "modelInvocationPort": {"containerPort": 8000}, "modelVolumeMount": {"name": "model"}, "resources": {}}
    return {
        "apiVersion": "inference.sagemaker.aws.amazon.com/v1",
        "kind": "InferenceEndpointConfig",
        "metadata": {"name": "chat", "namespace": "default"},
        "spec": {
            "modelName": "chat",
            "modelSourceConfig": {"modelSourceType": "s3", "s3Storage": {"bucketName": "models", "region": "us-west-2"}},
            "kvCacheSpec": {"enableL2Cache": True, "l2CacheSpec": {"l2CacheBackend": "TieredStorage"}},
            "worker": worker,
        },
    }


def test_every_feature_says_what_it_brings() -> None:
    assert set(BRINGS) == set(REGISTRY)


def test_all_come_change_and_go_once_though_the_driver_dies_around_every_call(land: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    before = land.contents()

    # On: a death before and one after the call of each step; everything is there once.
    mark, killer = land.now(), EachCallKiller()
    with monkeypatch.context() as patched:
        patched.setattr(points, "reach", killer.reach)
        made, _ = survive(land.sandbox, land.operator, "feature.set", key="on", **request(**ON))
    assert made.state == OperationState.SUCCEEDED, failure(made)
    order = made.plan["basis"]["order"]
    assert sorted(order) == sorted(REGISTRY)
    assert max(order.index("fsx_csi"), order.index("metrics_server")) < order.index(DRAWN_IN)
    steps = set(Intent.objects.filter(operation=made).values_list("step", flat=True))
    assert killer.struck == {"call.before": steps, "call.after": steps}
    assert len(steps) == len([change for change in made.plan["changes"] if change["action"] == "create"]) == len(made.plan["changes"])
    assert not Intent.objects.filter(ended_at=None).exists()
    assert Counter(land.writes_since(mark)) == Counter(
        CALLS[change["resource_type"]][0] for change in made.plan["changes"] if change["resource_type"] in CALLS
    )
    assert states(land) == dict.fromkeys(REGISTRY, FeatureState.ACTIVE)
    assert land.contents() - before == set().union(*BRINGS.values())
    nothing_happens(land, **ON)

    # One field of one of them: that field, and nothing about the others.
    mark = land.now()
    land.done(tiered_checkpointing={"memory_percent": 40})
    assert land.writes_since(mark) == ["sagemaker:UpdateCluster"]
    land.done(observability={"workspace_arn": OTHER_WORKSPACE})
    assert land.writes_since(mark) == ["sagemaker:UpdateCluster", "iam:PutRolePolicy", "eks:UpdateAddon"]
    assert (land.described()["TieredStorageConfig"]["InstanceMemoryAllocationPercentage"], land.seen("observability").settings) == (
        40,
        {"workspace_arn": OTHER_WORKSPACE},
    )
    assert land.described()["AutoScaling"]["Status"] == "InService"

    # What others need, or use, is not taken away under them.
    mark = land.now()
    assert refused(land, fsx_csi=False) == {"feature_needed": "FSx CSI driver is needed by Inference operator."}
    plan = planned(land, fsx_csi=False, cascade=True)
    assert (plan.basis["order"], plan.errors) == ([DRAWN_IN, "fsx_csi"], ())
    land.kube.apply(endpoint())
    assert "InferenceEndpointConfig default/chat" in refused(land, tiered_checkpointing=False)["feature_in_use"]
    assert "InferenceEndpointConfig default/chat" in refused(land, inference_operator=False)["feature_in_use"]
    land.kube.delete("inference.sagemaker.aws.amazon.com/v1", "InferenceEndpointConfig", "chat", "default")
    assert land.writes_since(mark) == []

    # Ill, with its issues; unreadable, not absent.
    addons = {name for name, feature in REGISTRY.items() if isinstance(feature, AddonFeature)}
    land.sandbox.fault(scenario="addon_degraded", code="AccessDenied", message="The role may not do it.")
    ill = {name: land.seen(name) for name in REGISTRY}
    assert {name for name, seen in ill.items() if seen.state == FeatureState.DEGRADED} == addons
    for name in addons:
        assert [(fault.code, fault.message.partition(": ")[2]) for fault in ill[name].faults] == [
            ("addon_degraded", "AccessDenied: The role may not do it.")
        ]
    land.sandbox.no_faults()
    land.sandbox.fault(kind="access_denied", service="eks", operation="DescribeAddon", count=None)
    shown = kept(land)
    land.sandbox.no_faults()
    assert {name for name, state in shown.items() if state == FeatureState.UNKNOWN} >= addons
    assert FeatureState.ABSENT not in shown.values()

    # Off, with what must go along drawn in: the same deaths, each part once, nothing left.
    mark, killer = land.now(), EachCallKiller()
    off = {name: False for name in REGISTRY if name != DRAWN_IN}
    with monkeypatch.context() as patched:
        patched.setattr(points, "reach", killer.reach)
        gone, _ = survive(land.sandbox, land.operator, "feature.set", key="off", **request(cascade=True, **off))
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert set(gone.plan["basis"]["order"]) == set(REGISTRY)
    steps = set(Intent.objects.filter(operation=gone).values_list("step", flat=True))
    assert killer.struck == {"call.before": steps, "call.after": steps}
    assert Counter(land.writes_since(mark)) == Counter(
        CALLS[change["resource_type"]][1] for change in gone.plan["changes"] if change["resource_type"] in CALLS
    )
    assert states(land) == dict.fromkeys(REGISTRY, FeatureState.ABSENT)
    land.until(lambda: land.contents() <= before | STAYS)
    assert land.contents() >= before
    assert land.ledger() - land.before == set()
    nothing_happens(land, **dict.fromkeys(REGISTRY, False))


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
