"""The nodes of all clusters, as the AWS side sees them: what `protocol.Kubelet` promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.kube.node import NodeSpec
from sandbox.kube.reservations import Reservations

if TYPE_CHECKING:
    from sandbox.kube.backend import Backend


class Fleet:
    """Which nodes there are is kept in the store, so that a control plane that starts again finds its own."""

    def __init__(self, backend: Backend, reservations: Reservations) -> None:
        self._backend = backend
        self._reservations = reservations

    async def ensure_node(self, cluster_key: str, spec: NodeSpec) -> None:
        known = self._reservations.node(cluster_key, spec.name)
        lost = known.lost if known else False
        serving = await self._backend.serve(cluster_key)
        self._reservations.put_node(cluster_key, spec, lost=lost)
        await serving.kubelet.register(spec, lost=lost)

    async def remove_node(self, cluster_key: str, name: str) -> bool:
        known = self._reservations.drop_node(cluster_key, name)
        serving = self._backend.serving(cluster_key)
        if serving is None:
            if not known:
                return False
            serving = await self._backend.serve(cluster_key)
            # it was not told of the node any more, but its Node object is there from before
            await serving.client.delete("v1", "Node", name)
            return True
        return await serving.kubelet.remove(name) or known

    def lose_node(self, cluster_key: str, name: str) -> bool:
        if not self._note_lost(cluster_key, name, lost=True):
            return False
        serving = self._backend.serving(cluster_key)
        if serving is not None:
            serving.kubelet.lose(name)
        return True

    def restore_node(self, cluster_key: str, name: str) -> bool:
        if not self._note_lost(cluster_key, name, lost=False):
            return False
        serving = self._backend.serving(cluster_key)
        if serving is not None:
            serving.kubelet.restore(name)
        return True

    async def reboot_node(self, cluster_key: str, name: str) -> bool:
        if not self._note_lost(cluster_key, name, lost=False):
            return False
        serving = await self._backend.serve(cluster_key)
        return await serving.kubelet.reboot(name)

    def node_names(self, cluster_key: str) -> list[str]:
        return [node.spec.name for node in self._reservations.nodes(cluster_key)]

    def _note_lost(self, cluster_key: str, name: str, *, lost: bool) -> bool:
        known = self._reservations.node(cluster_key, name)
        if known is None:
            return False
        self._reservations.put_node(cluster_key, known.spec, lost=lost)
        return True
