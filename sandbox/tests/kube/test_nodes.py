"""Simulated machines in a real cluster: joining, changing, lost and back, rebooted, gone."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.kube.node import Taint
from sandbox.tests.kube.rig import ClusterUnderTest, node_spec

pytestmark = pytest.mark.kube


def node(cluster: ClusterUnderTest, name: str) -> dict[str, Any]:
    return cluster.run(cluster.client.get("v1", "Node", name)) or {}


NOT_READY = "node.kubernetes.io/not-ready"


def ready(cluster: ClusterUnderTest, name: str) -> str:
    return next((item["status"] for item in node(cluster, name)["status"]["conditions"] if item["type"] == "Ready"), "")


def taint_keys(cluster: ClusterUnderTest, name: str) -> set[str]:
    return {taint["key"] for taint in node(cluster, name)["spec"].get("taints", [])}


def deployment(name: str, replicas: int) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def pods_on(cluster: ClusterUnderTest, name: str) -> list[str]:
    found = cluster.run(cluster.client.list("v1", "Pod", "default", fields=f"spec.nodeName={name}"))
    return [pod["metadata"]["name"] for pod in found]


def test_a_node_joins_with_what_hyperpod_says_of_it(cluster: ClusterUnderTest) -> None:
    (name,) = cluster.add_nodes(1, taints=(Taint("nvidia.com/gpu", "true"),), provider_id="aws:///usw2-az1/sagemaker/cluster/hyperpod-x")
    found = node(cluster, name)
    labels = found["metadata"]["labels"]
    assert labels["node.kubernetes.io/instance-type"] == "ml.p5.48xlarge"
    assert labels["topology.kubernetes.io/zone"] == "us-west-2a"
    assert labels["topology.kubernetes.io/region"] == "us-west-2"
    assert labels["sagemaker.amazonaws.com/cluster-name"] == "demo"
    assert found["spec"]["providerID"] == "aws:///usw2-az1/sagemaker/cluster/hyperpod-x"
    assert {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"} in found["spec"]["taints"]
    assert found["status"]["capacity"]["nvidia.com/gpu"] == "8"
    assert found["status"]["allocatable"]["cpu"] == "191690m"
    assert found["status"]["addresses"][0] == {"type": "InternalIP", "address": "10.1.64.10"}
    assert found["status"]["declaredFeatures"] == ["ExtendWebSocketsToKubelet"]
    assert ready(cluster, name) == "True"
    lease = cluster.run(cluster.client.get("coordination.k8s.io/v1", "Lease", name, "kube-node-lease"))
    assert lease["spec"]["holderIdentity"] == name
    cluster.until(lambda: "node.kubernetes.io/not-ready" not in taint_keys(cluster, name))


def test_registering_a_node_again_changes_nothing(cluster: ClusterUnderTest) -> None:
    (name,) = cluster.add_nodes(1)
    cluster.until(lambda: not taint_keys(cluster, name))
    before = node(cluster, name)["metadata"]["resourceVersion"]
    cluster.add_nodes(1)
    assert node(cluster, name)["metadata"]["resourceVersion"] == before


def test_a_label_and_a_taint_that_are_no_longer_asked_for_go_and_those_of_others_stay(cluster: ClusterUnderTest) -> None:
    health = "sagemaker.amazonaws.com/node-health-status"
    (name,) = cluster.add_nodes(1, labels={health: "Unschedulable", "team": "a"}, taints=(Taint(health, "Unschedulable"),))
    cluster.kubectl("label", "node", name, "mine=yes")
    cluster.kubectl("taint", "node", name, "mine=yes:NoSchedule")
    cluster.add_nodes(1, labels={health: "Schedulable"})
    labels = node(cluster, name)["metadata"]["labels"]
    assert (labels[health], labels.get("team"), labels["mine"]) == ("Schedulable", None, "yes")
    cluster.until(lambda: NOT_READY not in taint_keys(cluster, name), what="Kubernetes' own taint of a new node gone")
    assert taint_keys(cluster, name) == {"mine"}


def test_a_node_without_a_cni_is_not_ready_until_its_cni_runs(cluster: ClusterUnderTest) -> None:
    (name,) = cluster.add_nodes(1, needs_cni=True)
    assert ready(cluster, name) == "False"
    labels = {"k8s-app": "aws-node"}
    container = {"name": "aws-node", "image": "602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni:v1.20.0"}
    pod_spec = {"hostNetwork": True, "tolerations": [{"operator": "Exists"}], "containers": [container]}
    spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod_spec}}
    metadata = {"name": "aws-node", "namespace": "kube-system"}
    cluster.run(cluster.client.create({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}))
    cluster.until(lambda: ready(cluster, name) == "True")


def test_a_lost_node_becomes_unknown_and_comes_back_with_its_pods(cluster: ClusterUnderTest) -> None:
    lost, other = cluster.add_nodes(2)
    cluster.until(lambda: not taint_keys(cluster, lost) | taint_keys(cluster, other))
    cluster.run(cluster.client.create(deployment("web", 4)))
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    pods = pods_on(cluster, lost)
    assert pods
    assert cluster.rig.call(lambda: cluster.rig.backend.kubelet.lose_node(cluster.key, lost))
    logs = cluster.tool("kubectl", "logs", pods[0])
    assert logs.returncode == 1
    assert "i/o timeout" in logs.stderr
    cluster.until(lambda: ready(cluster, lost) == "Unknown", timeout=60)
    cluster.until(lambda: "node.kubernetes.io/unreachable" in taint_keys(cluster, lost))
    assert ready(cluster, other) == "True"
    assert cluster.rig.call(lambda: cluster.rig.backend.kubelet.restore_node(cluster.key, lost))
    cluster.until(lambda: ready(cluster, lost) == "True")
    cluster.until(lambda: not taint_keys(cluster, lost))
    assert pods_on(cluster, lost) == pods
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")


def test_a_removed_node_takes_its_pods_with_it_and_they_start_elsewhere(cluster: ClusterUnderTest) -> None:
    removed, kept = cluster.add_nodes(2)
    cluster.until(lambda: not taint_keys(cluster, removed) | taint_keys(cluster, kept))
    cluster.run(cluster.client.create(deployment("web", 4)))
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    assert pods_on(cluster, removed)
    assert cluster.run(cluster.rig.backend.kubelet.remove_node(cluster.key, removed)) is True
    assert node(cluster, removed) == {}
    cluster.until(lambda: len(pods_on(cluster, kept)) == 4)
    assert pods_on(cluster, removed) == []
    assert cluster.run(cluster.rig.backend.kubelet.remove_node(cluster.key, removed)) is False


def test_a_reboot_restarts_the_containers_under_a_new_boot_id(cluster: ClusterUnderTest) -> None:
    (name,) = cluster.add_nodes(1)
    cluster.run(cluster.client.create(deployment("web", 1)))
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    before = node(cluster, name)["status"]["nodeInfo"]["bootID"]
    assert cluster.run(cluster.rig.backend.kubelet.reboot_node(cluster.key, name)) is True
    assert node(cluster, name)["status"]["nodeInfo"]["bootID"] != before
    (pod,) = pods_on(cluster, name)

    def restarted() -> bool:
        (container,) = cluster.get("pod", pod)["status"]["containerStatuses"]
        return bool(container["restartCount"] == 1 and container["ready"] and container["lastState"]["terminated"]["exitCode"] == 255)

    cluster.until(restarted)


def test_a_node_that_somebody_deletes_registers_again(cluster: ClusterUnderTest) -> None:
    (name,) = cluster.add_nodes(1)
    before = node(cluster, name)["metadata"]["uid"]
    cluster.kubectl("delete", "node", name)
    cluster.until(lambda: node(cluster, name) and node(cluster, name)["metadata"]["uid"] != before, timeout=40)


def test_two_hundred_nodes_join_in_one_go(cluster: ClusterUnderTest) -> None:
    names = cluster.add_nodes(200)
    assert len(cluster.run(cluster.client.list("v1", "Node"))) == 200
    assert cluster.rig.call(lambda: cluster.rig.backend.kubelet.node_names(cluster.key)) == names
    assert node_spec(199).name == names[-1]
