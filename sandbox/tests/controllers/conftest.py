"""AWS's side and Kubernetes' side of one sandbox together: its event loop in a thread, a control plane that is wiped between tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sandbox.kube.controllers.manager import Controllers
from sandbox.kube.protocol import KubeClient
from sandbox.testing import call
from sandbox.tests.kube.rig import Rig
from sandbox.tests.landscape import Landscape


class LivingLandscape(Landscape):
    """A landscape whose calls run on the rig's own thread, with controllers at work."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.controllers = self._start()
        super().__init__(rig.world)

    def _start(self) -> Controllers:
        made = Controllers(self.rig.world, self.rig.backend)
        self.rig.call(made.start)
        return made

    def stop(self) -> None:
        self.rig.run(self.controllers.stop())

    def restart(self) -> None:
        """New controllers, which know nothing of what the old ones did."""
        self.stop()
        self.controllers = self._start()

    def call(self, service: str, operation: str, **params: Any) -> dict[str, Any]:
        return self.rig.call(lambda: call(self.rig.world, service, operation, params))

    def settle(self) -> float:
        took: float = self.rig.call(lambda: self.rig.world.fast_forward("settled"))
        assert self.rig.call(self.rig.world.agenda.failures) == []
        return took

    def skip(self, seconds: float) -> None:
        self.rig.call(lambda: self.rig.world.fast_forward(seconds))

    @property
    def key(self) -> str:
        return f"{self.world.settings.account}/{self.region}/demo"

    @property
    def client(self) -> KubeClient:
        return self.rig.run(self.rig.backend.client(self.key))

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> dict[str, Any] | None:
        return self.rig.run(self.client.get(api_version, kind, name, namespace))

    def list(self, api_version: str, kind: str, namespace: str = "") -> list[dict[str, Any]]:
        return self.rig.run(self.client.list(api_version, kind, namespace))

    def status(self, addon: str) -> str:
        found: str = self.call("eks", "DescribeAddon", clusterName="demo", addonName=addon)["addon"]["status"]
        return found

    def trouble(self) -> dict[str, Any]:
        """What to look at when something does not come true."""
        scope = f"{self.world.settings.account}/{self.region}"
        return {
            "addons": {row["addonName"]: row["status"] for row in self.world.store.list("eks.addon", scope)},
            "facts": dict(self.world.store.items("_eks.addon-health", scope)),
            "members": [
                (node["metadata"]["name"], [one for one in node["status"]["conditions"] if one["type"] == "Ready"])
                for node in self.list("v1", "Node")
            ],
            "pods": [
                (pod["metadata"]["name"], pod["spec"].get("nodeName"), pod["status"]["phase"], pod["status"].get("conditions"))
                for pod in self.list("v1", "Pod")
            ],
            "nodes": [(node["instance_id"], node["status"], node["joined"]) for node in self.world.store.list("sagemaker.node", scope)],
        }

    def await_true(self, what: Callable[[], object], seconds: float = 60.0) -> None:
        """What happens in real time, in Kubernetes: ask until it is so."""
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, f"it did not come true in time: {self.trouble()}"
            time.sleep(0.1)


@pytest.fixture(scope="session")
def _land(rig: Rig) -> Iterator[LivingLandscape]:
    made = LivingLandscape(rig)
    yield made
    made.stop()


@pytest.fixture
def land(_land: LivingLandscape) -> Iterator[LivingLandscape]:
    """An ACTIVE EKS cluster `demo`; it and its HyperPod cluster are gone afterwards."""
    _land.eks()
    yield _land
    for name in [one["ClusterName"] for one in _land.call("sagemaker", "ListClusters")["ClusterSummaries"]]:
        _land.call("sagemaker", "DeleteCluster", ClusterName=name)
        _land.settle()
    _land.call("eks", "DeleteCluster", name="demo")
    _land.settle()
    assert _land.call("eks", "ListClusters") == {"clusters": []}
