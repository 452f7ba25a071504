"""Controllers that begin anew with everything as it was: nothing is told again, no control plane is started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.kube.controllers.cluster import ClusterController
from sandbox.kube.node import NodeSpec
from sandbox.kube.protocol import KubeEndpoint
from sandbox.tests.landscape import Landscape
from sandbox.world import World


class Backend:
    """Takes notes; a client of it may not be asked for."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeSpec] = {}
        self.told: list[str] = []
        self.kubelet = self

    def available(self) -> bool:
        return True

    def reserve(self, key: str) -> KubeEndpoint:
        return KubeEndpoint("https://127.0.0.1:1", "PEM", "https://issuer")

    def prewarm(self, key: str) -> None:
        """Nothing to start."""

    def release(self, key: str) -> None:
        self.nodes.clear()

    def started(self, key: str) -> bool:
        return False

    def node_names(self, key: str) -> list[str]:
        return [*self.nodes]

    def restore_node(self, key: str, name: str) -> bool:
        return True

    async def ensure_node(self, key: str, spec: NodeSpec) -> None:
        self.nodes[spec.name] = spec
        self.told.append(spec.name)

    async def remove_node(self, key: str, name: str) -> bool:
        return self.nodes.pop(name, None) is not None

    async def client(self, key: str) -> Any:
        raise AssertionError("the control plane would be started")


@pytest.fixture
def land(tmp_path: Path) -> Iterator[Landscape]:
    world = World(tmp_path, speed=1)
    made = Landscape(world)
    made.ground()
    made.hyperpod()
    made.call("eks", "DeleteAddon", clusterName="demo", addonName="vpc-cni")
    made.settle()
    yield made
    world.close()


def controller(land: Landscape, backend: Backend) -> ClusterController:
    created = land.call("eks", "DescribeCluster", name="demo")["cluster"]["createdAt"]
    scope = f"{land.world.settings.account}/{land.region}"
    return ClusterController(land.world, backend, scope, "demo", created)  # type: ignore[arg-type]


async def test_nodes_are_told_once_and_again_only_when_they_change(land: Landscape) -> None:
    backend = Backend()
    await controller(land, backend)._round()
    assert sorted(backend.told) == sorted(f"hyperpod-{node['InstanceId']}" for node in land.nodes())
    backend.told.clear()
    await controller(land, backend)._round()
    assert backend.told == []
    failed = land.nodes()[0]["InstanceId"]
    land.world.faults.add({"scenario": "node_failure", "instance_id": failed, "count": 1})
    land.skip(61)
    await controller(land, backend)._round()
    assert backend.told == [f"hyperpod-{failed}"]
    spec = backend.nodes[f"hyperpod-{failed}"]
    assert spec.labels["sagemaker.amazonaws.com/node-health-status"] == "UnschedulablePendingReplacement"
    assert [taint.key for taint in spec.taints] == ["sagemaker.amazonaws.com/node-health-status"]


async def test_a_node_whose_instance_is_gone_is_removed(land: Landscape) -> None:
    backend = Backend()
    await controller(land, backend)._round()
    land.call("sagemaker", "BatchDeleteClusterNodes", ClusterName="demo", NodeIds=[land.nodes()[0]["InstanceId"]])
    await controller(land, backend)._round()
    assert len(backend.nodes) == 1


async def test_a_deleted_cluster_leaves_no_notes(land: Landscape) -> None:
    backend = Backend()
    land.world.kube = backend  # type: ignore[assignment]
    await controller(land, backend)._round()
    land.call("sagemaker", "DeleteCluster", ClusterName="demo")
    land.settle()
    land.call("eks", "DeleteCluster", name="demo")
    land.settle()
    assert [kind for kind in land.world.store.kinds() if kind.startswith("_eks.")] == []
