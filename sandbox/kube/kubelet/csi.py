"""Which CSI drivers are there on which node, and the CSINode objects that tell so."""

from __future__ import annotations

import logging
from collections.abc import Set

from sandbox.kube.client import Client
from sandbox.kube.kubelet.nodes import Machine
from sandbox.kube.protocol import KubeError

log = logging.getLogger(__name__)


class CsiDrivers:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._drivers: dict[str, dict[str, str]] = {}  # node to driver to the uid of the pod that registered it

    def on(self, node: str) -> Set[str]:
        return self._drivers.get(node, {}).keys()

    async def add(self, machine: Machine, driver: str, uid: str) -> None:
        name = machine.spec.name
        drivers = self._drivers.setdefault(name, {})
        known = driver in drivers
        drivers[driver] = uid
        if known:
            return
        entries = [{"name": item, "nodeID": machine.spec.instance_id, "topologyKeys": None} for item in sorted(drivers)]
        manifest = {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSINode",
            "metadata": {"name": name, "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": name, "uid": machine.uid}]},
            "spec": {"drivers": entries},
        }
        try:
            await self._client.apply(manifest, manager="kubelet")
        except KubeError as error:
            log.warning("CSINode %s: %s", name, error)

    def remove(self, node: str, uid: str) -> None:
        """The pod that registered them is gone."""
        drivers = self._drivers.get(node, {})
        for driver in [driver for driver, owner in drivers.items() if owner == uid]:
            del drivers[driver]

    def forget(self, node: str) -> None:
        self._drivers.pop(node, None)
