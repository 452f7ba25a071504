"""Control planes as EKS's clusters get them: reserved, started on first use, wiped and used again, kept over restarts."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.kube.backend import KubeSettings
from sandbox.tests.kube.rig import SCOPE, ClusterUnderTest, Rig, until

pytestmark = pytest.mark.kube


@pytest.fixture
def lonely_rig(tmp_path: Path) -> Iterator[Rig]:
    """A rig of its own, whose control planes nobody else uses."""
    made = Rig(tmp_path / "state")
    yield made
    made.close()


def admin(rig: Rig, name: str, folder: Path) -> ClusterUnderTest:
    folder.mkdir(exist_ok=True)
    cluster = ClusterUnderTest(rig, name, folder)
    cluster.give_access(rig.world.settings.user_arn, "AmazonEKSClusterAdminPolicy")
    return cluster


def test_reserving_twice_gives_the_same_endpoint_and_starts_nothing(rig: Rig, cluster: ClusterUnderTest) -> None:
    assert rig.call(lambda: rig.backend.reserve(cluster.key)) == cluster.endpoint
    assert cluster.endpoint.endpoint.startswith("https://127.0.0.1:")
    assert cluster.endpoint.ca_pem.startswith("-----BEGIN CERTIFICATE-----")
    assert cluster.endpoint.oidc_issuer.startswith("https://oidc.eks.us-west-2.amazonaws.com/id/")
    assert rig.call(lambda: rig.backend.started(cluster.key)) is False


def test_the_first_connection_starts_the_control_plane(rig: Rig, cluster: ClusterUnderTest) -> None:
    cluster.cold = True
    # a client's patience for the TLS handshake is 10 s, which may not do on a busy machine
    cluster.until(lambda: cluster.tool("kubectl", "get", "namespace", "default").returncode == 0, timeout=60)
    assert rig.call(lambda: rig.backend.started(cluster.key)) is True


def test_the_wiped_control_plane_of_a_deleted_cluster_serves_the_next_one_as_new(rig: Rig, tmp_path: Path) -> None:
    first = admin(rig, "wipe-1", tmp_path / "1")
    first.add_nodes(2)
    first.kubectl("create", "namespace", "left")
    first.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=3")
    first.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    first.kubectl("annotate", "namespace", "default", "mine=yes")
    first.kubectl("delete", "clusterrole", "view")
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "toys.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "toys", "kind": "Toy"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    }
    first.run(first.client.apply(definition))
    plane = rig.call(lambda: rig.backend.serving(first.key)).plane  # type: ignore[union-attr]
    rig.call(lambda: rig.backend.release(first.key))
    rig.run(rig.backend.settled())

    second = admin(rig, "wipe-2", tmp_path / "2")
    assert second.endpoint.oidc_issuer != first.endpoint.oidc_issuer
    names = second.kubectl("get", "namespaces", "-o", "name").split()
    assert names == ["namespace/default", "namespace/kube-node-lease", "namespace/kube-public", "namespace/kube-system"]
    assert rig.call(lambda: rig.backend.serving(second.key)).plane is plane  # type: ignore[union-attr]
    assert second.kubectl("get", "nodes,pods,deployments,crd", "-A") == ""
    assert "mine" not in second.get("namespace", "default")["metadata"].get("annotations", {})
    assert second.get("clusterrole", "view")["metadata"]["name"] == "view"
    second.add_nodes(1)
    second.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2")
    second.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    refused = second.tool("kubectl", "get", "nodes", kubeconfig=first.admin_kubeconfig())
    assert "connection refused" in refused.stderr
    rig.call(lambda: rig.backend.release(second.key))
    rig.run(rig.backend.settled())


def test_a_wipe_changes_each_key_in_a_revision_of_its_own(lonely_rig: Rig, tmp_path: Path) -> None:
    """A watch that breaks in the middle goes on behind the last revision it saw: in a shared one it would miss the rest."""
    cluster = admin(lonely_rig, "wiped", tmp_path / "c")
    cluster.add_nodes(60)
    plane = lonely_rig.call(lambda: lonely_rig.backend.serving(cluster.key)).plane  # type: ignore[union-attr]

    async def wipe() -> tuple[int, int]:
        _, before = await plane.client.list_at("v1", "Namespace")
        changed = await plane.wipe()
        _, after = await plane.client.list_at("v1", "Namespace")
        return changed, int(after) - int(before)

    changed, revisions = lonely_rig.run(wipe())
    assert changed >= 120  # nodes and their leases
    assert revisions >= changed


def test_a_partition_holds_connections_back_until_it_heals(rig: Rig, cluster: ClusterUnderTest) -> None:
    cluster.kubectl("get", "namespaces")
    fault = rig.call(lambda: rig.world.faults.add({"scenario": "kube_partition", "cluster": cluster.name}))
    cut_off = cluster.tool("kubectl", "get", "namespaces", "--request-timeout=2s")
    assert cut_off.returncode == 1
    assert (
        "net/http: request canceled" in cut_off.stderr or "TLS handshake timeout" in cut_off.stderr or "deadline exceeded" in cut_off.stderr
    )
    held = subprocess.Popen(
        cluster.command("kubectl", "get", "namespaces", "-o", "name"), env=cluster.environment(), stdout=subprocess.PIPE
    )
    rig.call(lambda: rig.world.faults.remove(fault["id"]))
    output, _ = held.communicate(timeout=20)
    assert b"namespace/default" in output


def test_a_taken_port_moves_the_endpoint(lonely_rig: Rig) -> None:
    key = f"{SCOPE}/moved"
    endpoint = lonely_rig.call(lambda: lonely_rig.backend.reserve(key))
    state_dir, port = lonely_rig.state_dir, int(endpoint.endpoint.rpartition(":")[2])
    lonely_rig.run(lonely_rig.backend.stop())
    lonely_rig.call(lonely_rig.world.close)
    with socket.socket() as thief:
        thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        thief.bind(("127.0.0.1", port))
        thief.listen()
        again = Rig(state_dir)
        moved = again.call(lambda: again.backend.reserve(key))
        again.close()
    assert moved.endpoint != endpoint.endpoint
    assert moved.oidc_issuer == endpoint.oidc_issuer


def test_everything_is_there_again_after_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "state")
    cluster = admin(rig, "kept", tmp_path / "c")
    (node,) = cluster.add_nodes(1)
    cluster.kubectl("create", "deployment", "web", "--image=nginx")
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    cluster.kubectl("run", "talker", "--image=busybox", "--", "ignored")
    script = "echo before; sleep 3; echo after; sleep 600"
    cluster.kubectl("run", "speaker", "--image=busybox", "--command", "--", "sh", "-c", script)
    cluster.kubectl("wait", "--for=condition=Ready", "pod/speaker", "pod/talker", "--timeout=20s")
    pods = {pod["metadata"]["uid"]: pod["status"]["podIP"] for pod in cluster.get("pods")["items"]}
    rig.close()

    again = Rig(tmp_path / "state")
    back = ClusterUnderTest(again, "kept", tmp_path / "c")
    assert back.endpoint == cluster.endpoint
    assert {pod["metadata"]["uid"]: pod["status"]["podIP"] for pod in back.get("pods")["items"]} == pods
    assert [pod["status"]["containerStatuses"][0]["restartCount"] for pod in back.get("pods")["items"]] == [0, 0, 0]
    back.until(lambda: back.kubectl("logs", "speaker") == "before\nafter\n")
    back.kubectl("scale", "deployment/web", "--replicas=2")
    back.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    addresses = [pod["status"]["podIP"] for pod in back.get("pods")["items"]]
    assert len({*addresses}) == 4
    assert back.get("node", node)["status"]["conditions"][-1]["type"] == "Ready"
    again.close()


def test_a_control_plane_whose_process_dies_is_started_again(lonely_rig: Rig, tmp_path: Path) -> None:
    cluster = admin(lonely_rig, "hurt", tmp_path / "c")
    cluster.kubectl("create", "namespace", "kept")
    serving = lonely_rig.call(lambda: lonely_rig.backend.serving(cluster.key))
    assert serving is not None
    pid = int((serving.plane.folder / "kube-apiserver.pid").read_text().split()[0])
    os.kill(pid, 9)
    cluster.until(lambda: lonely_rig.call(lambda: lonely_rig.backend.serving(cluster.key)) not in (None, serving), timeout=40)
    assert cluster.get("namespace", "kept")["metadata"]["name"] == "kept"


SERVE = """
import asyncio, sys
from pathlib import Path
from sandbox.kube import backend
from sandbox.world import World

async def main():
    world = World(Path(sys.argv[1]))
    made = await backend.create(world)
    await made.start()
    made.reserve("123456789012/us-west-2/doomed")
    client = await made.client("123456789012/us-west-2/doomed")
    await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kept"}})
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def test_no_process_outlives_a_sandbox_that_is_killed_and_no_object_is_lost(tmp_path: Path) -> None:
    state = tmp_path / "state"
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(state)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    assert next(line for line in lines if line.startswith("ready"))
    pids = [int(path.read_text().split()[0]) for path in state.rglob("*.pid")]
    assert len(pids) == 4
    process.kill()
    process.wait()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), timeout=10)
    again = Rig(state)
    client = again.run(again.backend.client(f"{SCOPE}/doomed"))
    assert again.run(client.get("v1", "Namespace", "kept"))["metadata"]["name"] == "kept"  # type: ignore[index]
    again.close()


def test_a_control_plane_is_ready_when_a_cluster_that_was_being_created_becomes_active(lonely_rig: Rig) -> None:
    rig = lonely_rig
    rig.call(lambda: rig.world.store.put("eks.cluster", SCOPE, "soon", {"name": "soon", "status": "CREATING"}))
    until(lambda: rig.call(lambda: len(rig.backend.idle_planes()) == 1), timeout=30)
    endpoint = rig.call(lambda: rig.backend.reserve(f"{SCOPE}/soon"))
    client = rig.run(rig.backend.client(f"{SCOPE}/soon"), timeout=2)
    metadata = {"name": "me", "namespace": "default"}
    rig.run(client.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}))
    path = "/api/v1/namespaces/default/serviceaccounts/me/token"
    answer = rig.run(client.request("POST", path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}))  # type: ignore[attr-defined]
    payload = answer["status"]["token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert claims["iss"] == endpoint.oidc_issuer


def test_the_least_recently_used_control_plane_makes_room_when_there_are_too_many(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "state", KubeSettings(most_running=1))
    first, second = admin(rig, "one", tmp_path / "1"), admin(rig, "two", tmp_path / "2")
    first.kubectl("create", "namespace", "kept")
    first.until(lambda: not rig.call(lambda: rig.backend.connected(first.key)), what="kubectl's connection closed")
    second.kubectl("get", "namespaces")
    assert [rig.call(lambda cluster=cluster: rig.backend.started(cluster.key)) for cluster in (first, second)] == [False, True]
    assert first.get("namespace", "kept")["metadata"]["name"] == "kept"
    rig.close()
