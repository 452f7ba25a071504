"""What our kubelet does with pods, on a real control plane."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.tests.kube.rig import ClusterUnderTest

pytestmark = pytest.mark.kube

FAULT = "sandbox.instantstart.dev/fault"


def pod(name: str, *containers: dict[str, Any], annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations or {}},
        "spec": {"containers": [*containers] or [{"name": "main", "image": "nginx"}], "terminationGracePeriodSeconds": 5, **spec},
    }


def shell(script: str, name: str = "main") -> dict[str, Any]:
    return {"name": name, "image": "busybox", "command": ["sh", "-c", script]}


def create(cluster: ClusterUnderTest, manifest: dict[str, Any]) -> None:
    cluster.run(cluster.client.create(manifest))


def read(cluster: ClusterUnderTest, name: str) -> dict[str, Any]:
    found = cluster.run(cluster.client.get("v1", "Pod", name, "default"))
    return found or {}


def status_when(cluster: ClusterUnderTest, name: str, phase: str) -> dict[str, Any]:
    cluster.until(lambda: read(cluster, name).get("status", {}).get("phase") == phase, what=f"{name} {phase}")
    return read(cluster, name)["status"]


def events(cluster: ClusterUnderTest, name: str) -> list[tuple[str, str]]:
    found = cluster.run(cluster.client.list("v1", "Event", "default", fields=f"involvedObject.name={name}"))
    return [(event["reason"], event["message"]) for event in found]


def test_a_pod_runs_with_an_address_of_its_nodes_subnet(cluster: ClusterUnderTest) -> None:
    (node,) = cluster.add_nodes(1)
    create(cluster, pod("web"))
    status = status_when(cluster, "web", "Running")
    assert status["podIP"] == "10.1.64.4"
    assert status["hostIP"] == "10.1.64.10"
    assert {item["type"]: item["status"] for item in status["conditions"]} == {
        "PodReadyToStartContainers": "True",
        "Initialized": "True",
        "Ready": "True",
        "ContainersReady": "True",
        "PodScheduled": "True",
    }
    (container,) = status["containerStatuses"]
    assert (container["ready"], container["restartCount"], [*container["state"]]) == (True, 0, ["running"])
    assert read(cluster, "web")["spec"]["nodeName"] == node


def test_a_host_network_pod_has_its_nodes_address(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    create(cluster, pod("agent", hostNetwork=True))
    assert status_when(cluster, "agent", "Running")["podIP"] == "10.1.64.10"


def test_init_containers_run_one_after_the_other_before_the_main_one(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    init = [shell("sleep 0.3; echo first", "first"), shell("echo second", "second")]
    create(cluster, pod("staged", shell("echo main; sleep 60"), initContainers=init))
    status = status_when(cluster, "staged", "Running")
    assert [item["state"]["terminated"]["exitCode"] for item in status["initContainerStatuses"]] == [0, 0]
    assert cluster.kubectl("logs", "staged", "-c", "first") == "first\n"
    assert cluster.kubectl("logs", "staged", "-c", "second") == "second\n"


def test_a_failing_init_container_of_a_pod_that_never_restarts_fails_the_pod(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    create(cluster, pod("broken", initContainers=[shell("exit 4", "setup")], restartPolicy="Never"))
    status = status_when(cluster, "broken", "Failed")
    assert status["initContainerStatuses"][0]["state"]["terminated"]["exitCode"] == 4
    assert [*status["containerStatuses"][0]["state"]] == ["waiting"]


def test_a_sidecar_runs_beside_the_main_container_and_ends_after_it(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    sidecar = {"name": "proxy", "image": "envoy", "restartPolicy": "Always"}
    create(cluster, pod("pair", shell("sleep 0.5; exit 0"), initContainers=[sidecar], restartPolicy="Never"))
    status = status_when(cluster, "pair", "Succeeded")
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 0
    cluster.until(lambda: "terminated" in read(cluster, "pair")["status"]["initContainerStatuses"][0]["state"])


@pytest.mark.parametrize(("code", "phase", "reason"), [(0, "Succeeded", "Completed"), (3, "Failed", "Error")])
def test_the_exit_code_of_a_pod_that_never_restarts_decides_its_phase(
    cluster: ClusterUnderTest, code: int, phase: str, reason: str
) -> None:
    cluster.add_nodes(1)
    create(cluster, pod("once", shell(f"exit {code}"), restartPolicy="Never"))
    terminated = status_when(cluster, "once", phase)["containerStatuses"][0]["state"]["terminated"]
    assert (terminated["exitCode"], terminated["reason"]) == (code, reason)


def test_a_job_of_an_unknown_image_completes(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    cluster.kubectl("create", "job", "work", "--image", "some/tool:1")
    cluster.kubectl("wait", "--for=condition=complete", "job/work", "--timeout=20s")


def test_a_crashing_container_is_restarted_with_back_off_and_its_last_run_can_be_read(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    create(cluster, pod("crash", shell("echo run; exit 2")))

    def crashed() -> dict[str, Any] | None:
        container = (read(cluster, "crash").get("status") or {}).get("containerStatuses", [{}])[0]
        waiting = container.get("state", {}).get("waiting", {})
        return container if waiting.get("reason") == "CrashLoopBackOff" and container["restartCount"] >= 2 else None

    container = cluster.until(crashed)
    assert container["lastState"]["terminated"]["exitCode"] == 2
    assert cluster.kubectl("logs", "crash", "--previous") == "run\n"
    assert any(reason == "BackOff" for reason, _ in cluster.until(lambda: [e for e in events(cluster, "crash") if e[0] == "BackOff"]))


def test_an_out_of_memory_fault_strikes_a_running_pod_when_it_is_annotated(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    create(cluster, pod("victim", restartPolicy="Never"))
    create(cluster, pod("bystander"))
    status_when(cluster, "bystander", "Running")
    cluster.kubectl("annotate", "pod", "bystander", f"{FAULT}=OOMKilled")
    terminated = cluster.until(lambda: read(cluster, "bystander")["status"]["containerStatuses"][0]["lastState"].get("terminated"))
    assert (terminated["exitCode"], terminated["reason"]) == (137, "OOMKilled")


def test_an_image_that_cannot_be_pulled_keeps_the_pod_waiting_until_it_can(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    create(cluster, pod("unpulled", annotations={FAULT: "ImagePullBackOff"}))

    def reason() -> str:
        statuses = (read(cluster, "unpulled").get("status") or {}).get("containerStatuses") or [{}]
        return str(statuses[0].get("state", {}).get("waiting", {}).get("reason", ""))

    cluster.until(lambda: reason() == "ImagePullBackOff")
    assert read(cluster, "unpulled")["status"]["phase"] == "Pending"
    cluster.kubectl("annotate", "pod", "unpulled", f"{FAULT}-")
    status_when(cluster, "unpulled", "Running")


def test_a_slow_start_delays_ready_but_not_running(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    create(cluster, pod("slow", annotations={"sandbox.instantstart.dev/ready-after": "1.5"}))
    status = status_when(cluster, "slow", "Running")
    assert status["containerStatuses"][0]["ready"] is False
    cluster.until(lambda: read(cluster, "slow")["status"]["containerStatuses"][0]["ready"])


def test_a_deleted_pod_that_ignores_sigterm_is_killed_after_its_grace_period(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    stubborn = pod("stubborn", annotations={"sandbox.instantstart.dev/stop-after": "600"})
    stubborn["metadata"]["finalizers"] = ["example.com/look"]
    create(cluster, stubborn)
    status_when(cluster, "stubborn", "Running")
    cluster.run(cluster.client.request("DELETE", "/api/v1/namespaces/default/pods/stubborn", {"gracePeriodSeconds": 1}))
    terminated = cluster.until(lambda: read(cluster, "stubborn")["status"]["containerStatuses"][0]["state"].get("terminated"), timeout=10)
    assert terminated["exitCode"] == 137
    cluster.run(cluster.client.patch("v1", "Pod", "stubborn", {"metadata": {"finalizers": None}}, "default"))
    cluster.until(lambda: not read(cluster, "stubborn"))


def test_a_missing_config_map_keeps_the_pod_creating_until_it_is_there(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    volume = {"name": "settings", "configMap": {"name": "settings"}}
    create(cluster, pod("configured", volumes=[volume]))
    cluster.until(lambda: [e for e in events(cluster, "configured") if e[0] == "FailedMount"])
    expected = 'MountVolume.SetUp failed for volume "settings" : configmap "settings" not found'
    assert ("FailedMount", expected) in events(cluster, "configured")
    cluster.kubectl("create", "configmap", "settings", "--from-literal=a=b")
    status_when(cluster, "configured", "Running")


def s3_volume() -> list[dict[str, Any]]:
    csi = {"driver": "s3.csi.aws.com", "volumeHandle": "bucket-1", "volumeAttributes": {"bucketName": "bucket-1"}}
    claim_ref = {"namespace": "default", "name": "data"}
    volume_spec = {"capacity": {"storage": "1200Gi"}, "accessModes": ["ReadWriteMany"], "csi": csi, "storageClassName": ""}
    claim_spec = {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "",
        "resources": {"requests": {"storage": "1200Gi"}},
        "volumeName": "data",
    }
    return [
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "data"}, "spec": {**volume_spec, "claimRef": claim_ref}},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"}, "spec": claim_spec},
    ]


def test_a_claim_mounts_only_where_its_csi_driver_runs(cluster: ClusterUnderTest) -> None:
    (node,) = cluster.add_nodes(1)
    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "s3.csi.aws.com"}}
    create(cluster, {**driver, "spec": {"attachRequired": False}})
    for manifest in s3_volume():
        create(cluster, manifest)
    create(cluster, pod("reader", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]))
    missing = "driver name s3.csi.aws.com not found in the list of registered CSI drivers"
    cluster.until(lambda: [e for e in events(cluster, "reader") if e[0] == "FailedMount" and missing in e[1]])
    waiting = read(cluster, "reader")["status"]["containerStatuses"][0]["state"]["waiting"]
    assert waiting == {"reason": "ContainerCreating"}
    labels = {"app": "s3-csi-node"}
    image = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-s3-csi-driver:v2.0.0"
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "s3-plugin", "image": image}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    create(
        cluster,
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "s3-csi-node", "namespace": "kube-system"}, "spec": spec},
    )
    status_when(cluster, "reader", "Running")
    drivers = json.loads(cluster.kubectl("get", "csinode", node, "-o", "json"))["spec"]["drivers"]
    assert [driver["name"] for driver in drivers] == ["s3.csi.aws.com"]


def test_a_full_subnet_leaves_a_pod_without_an_address_and_says_so(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1, subnet="10.1.64.0/28", ip="10.1.64.14")
    # sixteen addresses: five are AWS's, one is the node's
    for index in range(10):
        create(cluster, pod(f"p{index}"))
    for index in range(10):
        status_when(cluster, f"p{index}", "Running")
    create(cluster, pod("last"))
    (message,) = cluster.until(lambda: [e[1] for e in events(cluster, "last") if e[0] == "FailedCreatePodSandBox"])
    assert "failed to assign an IP address to container: no address is left in subnet 10.1.64.0/28" in message
    cluster.kubectl("delete", "pod", "p0")
    status_when(cluster, "last", "Running")


@pytest.mark.slow
def test_a_thousand_pods_are_ready_and_gone_within_seconds(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(10)
    cluster.kubectl("create", "deployment", "big", "--image=nginx", "--replicas=1000")
    cluster.kubectl("rollout", "status", "deployment/big", "--timeout=60s")
    cluster.kubectl("delete", "deployment", "big")
    cluster.until(lambda: not cluster.run(cluster.client.list("v1", "Pod", "default")), timeout=60)
