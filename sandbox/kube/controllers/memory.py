"""What the controllers of a cluster remember over a restart, so that a restart alone starts no control plane.

Bookkeeping `_eks.node-told`, key cluster/node: {"digest"} of what the kubelet was told; `_eks.plugged`, key cluster: {"resources"}.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sandbox.aws.eks.bookkeeping import NODE_TOLD, PLUGGED
from sandbox.kube.node import NodeSpec

if TYPE_CHECKING:
    from sandbox.store import Store


def digest(spec: NodeSpec) -> str:
    parts = [repr(spec.name), repr(sorted(spec.labels.items())), repr(spec.taints), repr(sorted(spec.capacity.items()))]
    rest = [spec.instance_id, spec.instance_type, spec.zone, spec.ip, spec.provider_id, spec.subnet, str(spec.needs_cni)]
    return hashlib.sha256("\n".join([*parts, *rest]).encode()).hexdigest()


class Memory:
    def __init__(self, store: Store, scope: str, cluster: str) -> None:
        self._store = store
        self._scope = scope
        self._cluster = cluster

    def told(self, spec: NodeSpec) -> bool:
        """Whether the kubelet knows the node as it is now."""
        row = self._store.get(NODE_TOLD, self._scope, f"{self._cluster}/{spec.name}")
        return row is not None and row["digest"] == digest(spec)

    def note_told(self, spec: NodeSpec) -> None:
        self._store.put(NODE_TOLD, self._scope, f"{self._cluster}/{spec.name}", {"digest": digest(spec)})

    def forget_node(self, name: str) -> None:
        self._store.delete(NODE_TOLD, self._scope, f"{self._cluster}/{name}")

    def plugged(self) -> frozenset[str]:
        row = self._store.get(PLUGGED, self._scope, self._cluster)
        return frozenset(row["resources"]) if row else frozenset()

    def note_plugged(self, resources: frozenset[str]) -> None:
        self._store.put(PLUGGED, self._scope, self._cluster, {"resources": sorted(resources)})
