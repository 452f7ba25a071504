"""What the control API tells to whoever judges from outside."""

from __future__ import annotations

import pytest

from sandbox import facts
from sandbox.aws.eks import addon_health
from sandbox.kube.protocol import KubeError
from sandbox.world import World

SCOPE = "123456789012/us-west-2"
ADDON = {"clusterName": "demo", "addonName": "coredns", "status": "ACTIVE", "health": {"issues": []}, "_settles_at": 0.0}


def test_a_status_that_follows_from_a_fault_is_worked_out_before_it_is_told(world: World) -> None:
    world.store.put(addon_health.KIND, SCOPE, "demo/coredns", ADDON)
    world.faults.add({"scenario": "addon_degraded", "addon": "coredns", "code": "AccessDenied", "message": "no"})
    (told,) = facts.resources(world, addon_health.KIND)
    assert (told["kind"], told["scope"], told["id"], told["value"]["status"]) == ("eks.addon", SCOPE, "demo/coredns", "DEGRADED")
    assert facts.resources(world, addon_health.KIND, "210987654321/us-west-2") == []


async def test_kubernetes_of_a_cluster_that_is_not_there_is_refused_by_name(world: World) -> None:
    with pytest.raises(LookupError, match="no EKS cluster '123456789012/us-west-2/demo'"):
        await facts.objects(world, f"{SCOPE}/demo", [("v1", "Node")])
    world.store.put("eks.cluster", SCOPE, "demo", {"name": "demo", "status": "ACTIVE"})
    with pytest.raises(KubeError, match="without Kubernetes"):
        await facts.objects(world, f"{SCOPE}/demo", [("v1", "Node")])
