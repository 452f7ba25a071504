"""HyperPod's Karpenter in a real cluster: from zero for a pod that waits, and back to zero when it is idle."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.tests.controllers.conftest import LivingLandscape

pytestmark = pytest.mark.kube

CORE, PROVIDER = "karpenter.sh/v1", "karpenter.sagemaker.amazonaws.com/v1"
CRD = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
PLUGIN = {"name": "nvidia-device-plugin"}


def node_class(*groups: str) -> dict[str, Any]:
    return {"apiVersion": PROVIDER, "kind": "HyperpodNodeClass", "metadata": {"name": "gpus"}, "spec": {"instanceGroups": [*groups]}}


def node_pool(**spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"team": "a"}},
        "spec": {
            "nodeClassRef": {"group": PROVIDER.partition("/")[0], "kind": "HyperpodNodeClass", "name": "gpus"},
            "requirements": [{"key": "node.kubernetes.io/instance-type", "operator": "Exists"}],
            "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
        },
    }
    return {"apiVersion": CORE, "kind": "NodePool", "metadata": {"name": "pool"}, "spec": {"template": template, **spec}}


def pod(name: str) -> dict[str, Any]:
    container = {"name": "main", "image": "busybox", "command": ["sleep", "100000"], "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    spec = {"containers": [container], "tolerations": [{"operator": "Exists"}], "nodeSelector": {"team": "a"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def plugin() -> dict[str, Any]:
    containers = [{"name": "plugin", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.17.4"}]
    template = {"metadata": {"labels": PLUGIN}, "spec": {"containers": containers, "tolerations": [{"operator": "Exists"}]}}
    metadata = {"name": "nvidia-device-plugin", "namespace": "kube-system"}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata,
        "spec": {"selector": {"matchLabels": PLUGIN}, "template": template},
    }


def state(item: dict[str, Any] | None) -> dict[str, str]:
    return {one["type"]: one["status"] for one in ((item or {}).get("status") or {}).get("conditions") or []}


class Ground:
    def __init__(self, land: LivingLandscape) -> None:
        self.land = land

    def apply(self, manifest: dict[str, Any]) -> None:
        self.land.rig.run(self.land.client.apply(manifest, "test"))

    def delete(self, api_version: str, kind: str, name: str, namespace: str = "") -> None:
        self.land.rig.run(self.land.client.delete(api_version, kind, name, namespace))

    def until(self, what: Callable[[], object]) -> None:
        """AWS's side has no time to lose meanwhile."""

        def passes() -> object:
            self.land.settle()
            return what()

        self.land.await_true(passes)

    def defined(self) -> bool:
        """The kinds that come with the service are there, and served."""
        found = [one for one in self.land.list(*CRD) if "karpenter" in one["metadata"]["name"]]
        return [state(one).get("Established") for one in found] == ["True"] * 3

    def claims(self) -> list[dict[str, Any]]:
        return self.land.list(CORE, "NodeClaim")

    def counts(self) -> dict[str, int]:
        return {group["InstanceGroupName"]: group["TargetCount"] for group in self.land.describe()["InstanceGroups"]}

    def phase(self, name: str) -> str:
        return ((self.land.get("v1", "Pod", name, "default") or {}).get("status") or {}).get("phase", "")

    def role(self) -> str:
        arn = self.land.role("karpenter", "hyperpod.sagemaker.amazonaws.com")
        statement = {"Effect": "Allow", "Action": ["sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes"], "Resource": "*"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        self.land.call("iam", "PutRolePolicy", RoleName="karpenter", PolicyName="access", PolicyDocument=document)
        return arn


def test_a_group_grows_from_zero_for_a_pod_that_waits_and_shrinks_to_zero_when_idle(land: LivingLandscape) -> None:
    ground = Ground(land)
    land.addon("vpc-cni")
    land.hyperpod(land.instance_group("gpu", 1), land.instance_group("cpu", 1, InstanceType="ml.m5.xlarge"))
    scaling = {"Mode": "Enable", "AutoScalerType": "Karpenter"}
    land.call("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling=scaling, ClusterRole=ground.role())
    ground.until(ground.defined)
    ground.apply(plugin())

    # A class with a group that is not there is not ready, and neither is its pool; nothing is touched.
    ground.apply(node_class("gpu", "absent"))
    ground.apply(node_pool(limits={"nvidia.com/gpu": "1"}, disruption={"consolidateAfter": "60s", "budgets": [{"nodes": "100%"}]}))
    lacking = {"InstanceGroupReady": "False", "SubnetsReady": "True", "Ready": "False"}
    ground.until(lambda: state(land.get(PROVIDER, "HyperpodNodeClass", "gpus")) == lacking)
    ground.until(lambda: state(land.get(CORE, "NodePool", "pool")).get("NodeClassReady") == "False")
    assert ground.counts() == {"gpu": 1, "cpu": 1}

    # Ready: the node that was there before goes, those of other groups stay.
    ground.apply(node_class("gpu"))
    ground.until(lambda: ground.counts() == {"gpu": 0, "cpu": 1})
    found = land.get(PROVIDER, "HyperpodNodeClass", "gpus")
    assert found is not None
    assert found["status"]["instanceGroups"] == [
        {
            "name": "gpu",
            "instanceTypes": ["ml.g5.8xlarge"],
            "subnets": [
                {"id": land.wide, "zone": f"{land.region}a", "zoneId": found["status"]["instanceGroups"][0]["subnets"][0]["zoneId"]}
            ],
            "capacities": {"OnDemand": {}},
        }
    ]

    # No capacity: the pod is told, and it is tried again later.
    land.rig.call(lambda: land.world.faults.add({"scenario": "capacity_shortage", "instance_type": "ml.g5.8xlarge", "available": 0}))
    ground.apply(pod("first"))
    ground.until(
        lambda: "sufficient ml.g5.8xlarge capacity" in (land.get("v1", "Event", "first.karpenter", "default") or {}).get("message", "")
    )
    land.rig.call(land.world.faults.clear)

    # From zero, as far as the pool's limit goes.
    ground.until(lambda: ground.phase("first") == "Running")
    ground.until(lambda: [state(claim).get("Ready") for claim in ground.claims()] == ["True"])
    [claim] = ground.claims()
    node = land.get("v1", "Node", claim["status"]["nodeName"])
    assert node is not None
    assert claim["status"]["providerID"] == node["spec"]["providerID"]
    assert {"key": "nvidia.com/gpu", "effect": "NoSchedule"} in node["spec"]["taints"]
    ground.apply(pod("second"))
    ground.until(lambda: (land.get(CORE, "NodePool", "pool") or {})["status"]["resources"].get("nvidia.com/gpu") == "1")
    assert (len(ground.claims()), ground.counts()) == (1, {"gpu": 1, "cpu": 1})

    # The one in use stays; idle for its time, it goes, and with it the claim.
    ground.delete("v1", "Pod", "second", "default")
    assert ground.phase("first") == "Running"
    ground.delete("v1", "Pod", "first", "default")
    ground.until(lambda: ground.claims() == [] and ground.counts() == {"gpu": 0, "cpu": 1})
    ground.until(lambda: len(land.nodes()) == 1)

    # Without the service there is nothing left of it.
    land.call("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling={"Mode": "Disable"})
    ground.until(lambda: "AutoScaling" not in land.describe())
    assert not [one for one in land.list(*CRD) if "karpenter" in one["metadata"]["name"]]
    assert ground.counts() == {"gpu": 0, "cpu": 1}
