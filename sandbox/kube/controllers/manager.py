"""Runs one controller for each EKS cluster that has work: nodes that should be members, add-ons to install or remove, autoscaling.

A cluster without either gets none, so its control plane is not started.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from sandbox.aws.eks import addon_health
from sandbox.aws.eks import cluster as clusters
from sandbox.aws.eks.bookkeeping import ADDON_APPLIED, KARPENTER
from sandbox.aws.sagemaker import cluster as hyperpod
from sandbox.aws.sagemaker import node as nodes
from sandbox.kube.controllers.cluster import ClusterController
from sandbox.kube.protocol import KubeBackend
from sandbox.kube.tasks import Tasks

if TYPE_CHECKING:
    from sandbox.world import World

log = logging.getLogger(__name__)

_ROUND_SECONDS = 0.3


class Controllers:
    """Make it inside a running event loop, with a backend that is started."""

    def __init__(self, world: World, backend: KubeBackend) -> None:
        self._world = world
        self._backend = backend
        self._tasks = Tasks()
        self._running: dict[str, tuple[ClusterController, asyncio.Task[None]]] = {}
        self._store_version = -1

    def start(self) -> None:
        self._tasks.start(self._run(), "the Kubernetes controllers")

    async def stop(self) -> None:
        await self._tasks.stop()
        self._running.clear()

    async def _run(self) -> None:
        while True:
            if self._world.store.version != self._store_version:
                self._store_version = self._world.store.version
                self._staff()
            await asyncio.sleep(_ROUND_SECONDS)

    def _staff(self) -> None:
        """A controller for each cluster with work, none for the others."""
        wanted = self._wanted()
        for key, (_, task) in [*self._running.items()]:
            if key not in wanted or task.done():
                task.cancel()
                del self._running[key]
        for key, (scope, name, created) in wanted.items():
            if key not in self._running:
                controller = ClusterController(self._world, self._backend, scope, name, created)
                self._running[key] = controller, self._tasks.start(controller.run(), f"the controllers of {controller.key}")

    def _wanted(self) -> dict[str, tuple[str, str, float]]:
        """By cluster key and creation (a new cluster of an old name is another one): scope, name, creation."""
        wanted = {}
        store = self._world.store
        for scope in store.scopes(clusters.KIND):
            busy = {row["clusterName"] for row in store.list(addon_health.KIND, scope)}
            busy |= {key.partition("/")[0] for key in store.keys(ADDON_APPLIED, scope)} | self._with_nodes(scope)
            busy |= {*store.keys(KARPENTER, scope)} | self._autoscaled(scope)
            for cluster in store.list(clusters.KIND, scope):
                key = f"{scope}/{cluster['name']}"
                if cluster["status"] in ("ACTIVE", "UPDATING") and (cluster["name"] in busy or self._backend.kubelet.node_names(key)):
                    wanted[f"{key} {cluster['createdAt']}"] = scope, cluster["name"], cluster["createdAt"]
        return wanted

    def _autoscaled(self, scope: str) -> set[str]:
        rows = self._world.store.list(hyperpod.KIND, scope)
        return {row["eks_cluster_arn"].rsplit("/", 1)[-1] for row in rows if row["auto_scaling"]}

    def _with_nodes(self, scope: str) -> set[str]:
        """Names of the EKS clusters to which a HyperPod cluster with nodes is attached."""
        ids = {key.partition("/")[0] for key in self._world.store.keys(nodes.KIND, scope)}
        rows = self._world.store.list(hyperpod.KIND, scope)
        return {row["eks_cluster_arn"].rsplit("/", 1)[-1] for row in rows if row["id"] in ids}
