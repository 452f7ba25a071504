"""HyperPod's nodes in a real cluster."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.tests.controllers.conftest import LivingLandscape

pytestmark = pytest.mark.kube


@pytest.fixture
def ground(land: LivingLandscape) -> LivingLandscape:
    land.addon("vpc-cni")
    return land


def ready(node: dict[str, Any]) -> str:
    return next(item["status"] for item in node["status"]["conditions"] if item["type"] == "Ready")


def names(land: LivingLandscape) -> list[str]:
    return sorted(node["metadata"]["name"] for node in land.list("v1", "Node") if ready(node) == "True")


def expected(land: LivingLandscape) -> list[str]:
    return sorted(f"hyperpod-{node['InstanceId']}" for node in land.nodes() if node["InstanceStatus"]["Status"] == "Running")


def test_nodes_join_ready_with_labels_taints_and_the_address_they_have_in_their_subnet(ground: LivingLandscape) -> None:
    taint = {"Key": "team", "Value": "a", "Effect": "NoSchedule"}
    kubernetes = {"Labels": {"team": "a"}, "Taints": [taint]}
    ground.hyperpod(ground.instance_group(KubernetesConfig=kubernetes))
    ground.await_true(lambda: names(ground) == expected(ground))
    node = ground.list("v1", "Node")[0]
    details = ground.call(
        "sagemaker", "DescribeClusterNode", ClusterName="demo", NodeId=node["metadata"]["name"].removeprefix("hyperpod-")
    )["NodeDetails"]
    addresses = {one["type"]: one["address"] for one in node["status"]["addresses"]}
    assert addresses["InternalIP"] == details["PrivatePrimaryIp"]
    labels = node["metadata"]["labels"]
    assert labels["sagemaker.amazonaws.com/node-health-status"] == "Schedulable"
    assert labels["sagemaker.amazonaws.com/instance-group-name"] == "workers"
    assert labels["sagemaker.amazonaws.com/compute-type"] == "hyperpod"
    assert labels["node.kubernetes.io/instance-type"] == "ml.g5.8xlarge"
    assert labels["topology.kubernetes.io/zone"] == f"{ground.region}a"
    assert labels["team"] == "a"
    assert {"key": "team", "value": "a", "effect": "NoSchedule"} in node["spec"]["taints"]
    assert "nvidia.com/gpu" not in node["status"]["capacity"]


def test_a_node_is_not_ready_without_a_network_plugin(land: LivingLandscape) -> None:
    land.addon("vpc-cni")
    land.hyperpod(land.instance_group(count=1))
    land.await_true(lambda: names(land) == expected(land) and names(land))
    land.call("eks", "DeleteAddon", clusterName="demo", addonName="vpc-cni")
    land.settle()
    land.await_true(lambda: land.get("apps/v1", "DaemonSet", "aws-node", "kube-system") is None)
    spec = land.instance_group(count=2)
    land.call("sagemaker", "UpdateCluster", ClusterName="demo", InstanceGroups=[spec])
    land.settle()
    land.await_true(lambda: sorted(ready(node) for node in land.list("v1", "Node")) == ["False", "True"])


def test_a_device_plugin_makes_the_nodes_offer_their_accelerators(ground: LivingLandscape) -> None:
    ground.hyperpod(ground.instance_group(count=1))
    ground.await_true(lambda: names(ground) == expected(ground))
    labels = {"name": "nvidia-device-plugin"}
    containers = [{"name": "plugin", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.17.4"}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    plugin = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "nvidia-device-plugin", "namespace": "kube-system"},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
    ground.rig.run(ground.client.create(plugin))
    ground.await_true(lambda: ground.list("v1", "Node")[0]["status"]["allocatable"].get("nvidia.com/gpu") == "1")


def test_a_node_under_deep_health_checks_is_a_member_that_takes_no_pods(ground: LivingLandscape) -> None:
    group = ground.instance_group(count=1, OnStartDeepHealthChecks=["InstanceStress"])
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(group))
    ground.rig.call(ground.world.clock.pause)
    ground.skip(1000)
    assert ground.statuses() == ["DeepHealthCheckInProgress"]
    ground.await_true(lambda: len(ground.list("v1", "Node")) == 1)
    node = ground.list("v1", "Node")[0]
    assert node["metadata"]["labels"]["sagemaker.amazonaws.com/deep-health-check-status"] == "InProgress"
    assert {"key": "sagemaker.amazonaws.com/node-health-status", "value": "Unschedulable", "effect": "NoSchedule"} in node["spec"]["taints"]
    ground.settle()
    ground.rig.call(ground.world.clock.resume)

    def passed() -> bool:
        labels = ground.list("v1", "Node")[0]["metadata"]["labels"]
        return (
            labels["sagemaker.amazonaws.com/deep-health-check-status"],
            labels["sagemaker.amazonaws.com/node-health-status"],
        ) == ("Passed", "Schedulable")

    ground.await_true(passed)
    ground.await_true(lambda: not ground.list("v1", "Node")[0]["spec"].get("taints"))


def test_a_replaced_instance_is_another_node_and_a_deleted_one_is_none(ground: LivingLandscape) -> None:
    ground.hyperpod()
    ground.await_true(lambda: names(ground) == expected(ground))
    first, second = ground.nodes()
    ground.call("sagemaker", "BatchReplaceClusterNodes", ClusterName="demo", NodeIds=[first["InstanceId"]])
    ground.settle()
    ground.await_true(lambda: names(ground) == expected(ground))
    assert f"hyperpod-{first['InstanceId']}" not in names(ground)
    ground.call("sagemaker", "BatchDeleteClusterNodes", ClusterName="demo", NodeIds=[second["InstanceId"]])
    ground.await_true(lambda: len(ground.list("v1", "Node")) == 1)
    ground.call("sagemaker", "DeleteCluster", ClusterName="demo")
    ground.settle()
    ground.await_true(lambda: ground.list("v1", "Node") == [])


def test_a_rebooted_node_is_the_same_node_with_another_boot_id(ground: LivingLandscape) -> None:
    ground.hyperpod(ground.instance_group(count=1))
    ground.await_true(lambda: names(ground) == expected(ground) and names(ground))
    before = ground.list("v1", "Node")[0]
    ground.call("sagemaker", "BatchRebootClusterNodes", ClusterName="demo", NodeIds=[ground.nodes()[0]["InstanceId"]])
    ground.settle()
    ground.await_true(lambda: ground.list("v1", "Node")[0]["status"]["nodeInfo"]["bootID"] != before["status"]["nodeInfo"]["bootID"])
    after = ground.list("v1", "Node")[0]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    ground.await_true(lambda: names(ground) == expected(ground))
