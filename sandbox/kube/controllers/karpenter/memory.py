"""What is remembered over a restart: bookkeeping `_eks.karpenter`, key cluster: {"idle": {claim: virtual second since when}}.

The row is there while the definitions are in the cluster, or may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.aws.eks import cluster as clusters
from sandbox.aws.eks.bookkeeping import KARPENTER

if TYPE_CHECKING:
    from sandbox.world import World


class Memory:
    """`unconfirmed`: nobody saw yet, since this process began, that the definitions are there."""

    def __init__(self, world: World, scope: str, cluster: str) -> None:
        self._world, self._scope, self._cluster = world, scope, cluster
        self.unconfirmed = False

    @property
    def installed(self) -> bool:
        return self._world.store.get(KARPENTER, self._scope, self._cluster) is not None

    @property
    def idle(self) -> dict[str, float]:
        row = self._world.store.get(KARPENTER, self._scope, self._cluster)
        return dict(row["idle"]) if row else {}

    def note_installed(self) -> None:
        self._put({})

    def note_idle(self, idle: dict[str, float]) -> None:
        if idle != self.idle:
            self._put(idle)

    def forget(self) -> None:
        with self._world.database.transaction():
            self._world.store.delete(KARPENTER, self._scope, self._cluster)

    def _put(self, idle: dict[str, float]) -> None:
        if self._world.store.get(clusters.KIND, self._scope, self._cluster) is None:
            return  # deleted meanwhile: its bookkeeping is gone and stays so
        with self._world.database.transaction():
            self._world.store.put(KARPENTER, self._scope, self._cluster, {"idle": idle})
