"""The controllers of one EKS cluster: keep its nodes and add-ons as the AWS side has them, and report how the add-ons are."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sandbox.aws.eks import addon_health, node_group
from sandbox.aws.eks import cluster as clusters
from sandbox.aws.eks.bookkeeping import ADDON_APPLIED
from sandbox.aws.sagemaker import cluster as hyperpod
from sandbox.aws.sagemaker import node as nodes
from sandbox.kube.controllers import applied, machines, node_groups, workloads
from sandbox.kube.controllers.karpenter.controller import Karpenter
from sandbox.kube.controllers.memory import Memory
from sandbox.kube.node import NodeSpec
from sandbox.kube.protocol import KubeBackend, KubeClient, KubeError

if TYPE_CHECKING:
    from sandbox.aws.context import Context
    from sandbox.world import World

log = logging.getLogger(__name__)

_ROUND_SECONDS = 0.3
_QUIET_SECONDS = 2.0  # between looks at workloads that are all well
_LONGEST_PAUSE = 5.0  # after errors
_REFUSED = (400, 422)  # a manifest the API server does not take; other errors pass
_DAEMON_PATIENCE = 60.0  # real seconds, as Kubernetes runs in real time, before a DaemonSet's missing pods make an add-on DEGRADED


class ClusterController:
    """`created` is the cluster's createdAt: a controller works for this very cluster, not for a later one of its name."""

    def __init__(self, world: World, backend: KubeBackend, scope: str, name: str, created: float) -> None:
        self.scope = scope
        self.name = name
        self._created = created
        self.key = f"{scope}/{name}"
        self._world = world
        self._backend = backend
        account, _, region = scope.partition("/")
        self._context: Context = world.context("eks", "Controller", account=account, region=region)
        self._memory = Memory(world.store, scope, name)
        self._karpenter = Karpenter(world, backend, scope, name)
        self._boots: dict[str, int] = {}
        self._lost: set[str] = set()
        self._short_since: dict[workloads.Key, float] = {}
        self._seen = -1
        self._look_at = 0.0

    def _alive(self) -> bool:
        cluster = self._world.store.get(clusters.KIND, self.scope, self.name)
        return cluster is not None and cluster["createdAt"] == self._created

    async def run(self) -> None:
        """For ever; an error is logged and tried again after a growing pause."""
        pause = _ROUND_SECONDS
        while True:
            try:
                await self._round()
                pause = _ROUND_SECONDS
            except KubeError as error:
                pause = min(_LONGEST_PAUSE, pause * 2)
                self._seen, self._look_at = -1, 0.0
                log.warning("controllers of %s: %s; again in %.1f s", self.key, error, pause)
            await asyncio.sleep(pause)

    async def _round(self) -> None:
        loop = asyncio.get_running_loop()
        version = self._world.store.version
        if version != self._seen:
            await self._sync_addons()
            await self._sync_nodes()
            self._seen = version
        if loop.time() >= self._look_at:
            well = await self._look()
            self._look_at = loop.time() + (_QUIET_SECONDS if well else _ROUND_SECONDS)
        await self._karpenter.round()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Context]:
        with self._world.acting(self._context), self._world.database.transaction():
            yield self._context

    # --- nodes

    def _members(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        """HyperPod's, by node name: the node's row and its group's."""
        arn = self._context.arn("eks", f"cluster/{self.name}")
        groups = {(cluster["id"], group["name"]): group for cluster in hyperpod.clusters(self._context) for group in cluster["groups"]}
        members = {}
        for node in self._world.store.list(nodes.KIND, self.scope):
            group = groups.get((node["cluster_id"], node["group"]))
            if node["eks_cluster_arn"] == arn and node["joined"] and node["instance_id"] and group is not None:
                members[machines.name_of(node)] = node, group
        return members

    def _members_of_node_groups(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        """The same of EKS node groups."""
        members = {}
        for group in node_group.of_cluster(self._context, self.name):
            for node in node_group.nodes(self._context, group):
                if node["joined"]:
                    members[node_groups.name_of(node)] = node, group
        return members

    async def _sync_nodes(self) -> None:
        kubelet = self._backend.kubelet
        members, others = self._members(), self._members_of_node_groups()
        present = kubelet.node_names(self.key)
        for name in present:
            if name not in members and name not in others:
                await kubelet.remove_node(self.key, name)
                self._memory.forget_node(name)
                self._boots.pop(name, None)
                self._lost.discard(name)
        plugged = self._memory.plugged()
        for name, (node, group) in members.items():
            if not await self._tell(machines.spec_of(node, group, plugged), present):
                return
            await self._sync_power(name, node)
        for node, group in others.values():
            if not await self._tell(node_groups.spec_of(node, group, plugged), present):
                return

    async def _tell(self, spec: NodeSpec, present: list[str]) -> bool:
        """Whether the kubelet knows the node as it is now; not when the cluster was deleted meanwhile."""
        if spec.name not in present or not self._memory.told(spec):
            await self._backend.kubelet.ensure_node(self.key, spec)
            if not self._alive():
                return False
            self._memory.note_told(spec)
        return True

    async def _sync_power(self, name: str, node: dict[str, Any]) -> None:
        """A machine that reboots does not answer; afterwards it is back under a new boot id."""
        kubelet = self._backend.kubelet
        if name not in self._boots and not machines.lost(node):
            kubelet.restore_node(self.key, name)  # the reboot may have ended while there was no controller
        known = self._boots.setdefault(name, node["boots"])
        if machines.lost(node):
            if name not in self._lost:
                kubelet.lose_node(self.key, name)
                self._lost.add(name)
        elif name in self._lost or known != node["boots"]:
            await kubelet.reboot_node(self.key, name)
            self._lost.discard(name)
            self._boots[name] = node["boots"]

    # --- add-ons

    def _addons(self) -> dict[str, dict[str, Any]]:
        return {row["addonName"]: row for row in self._world.store.list(addon_health.KIND, self.scope) if row["clusterName"] == self.name}

    def _applied(self) -> dict[str, dict[str, Any]]:
        prefix = f"{self.name}/"
        return {key.removeprefix(prefix): row for key, row in self._world.store.items(ADDON_APPLIED, self.scope) if key.startswith(prefix)}

    async def _sync_addons(self) -> None:
        wanted, present = self._addons(), self._applied()
        for name, row in present.items():
            addon = wanted.get(name)
            if addon is None or addon["status"] == "DELETING":
                await self._remove(name, row, preserve=bool(addon and addon["_preserve"]))
        for name, addon in wanted.items():
            before = present.get(name)
            if addon["status"] != "DELETING" and (before is None or before["digest"] != applied.digest(addon)):
                await self._install(name, addon, before)

    async def _install(self, name: str, addon: dict[str, Any], before: dict[str, Any] | None) -> None:
        client = await self._backend.client(self.key)
        documents = applied.render(addon)
        references = [applied.reference(document) for document in documents]
        self._note(name, {"digest": "", "objects": references})  # so that what a crash leaves half applied can be taken back
        for document in documents:
            try:
                made = await client.apply(document)
                if made["metadata"].get("deletionTimestamp"):  # of an installation before this one: it would vanish again
                    raise KubeError("Conflict", f"{made['kind']} {made['metadata']['name']} is still being deleted", 409)
            except KubeError as error:
                if error.status not in _REFUSED:
                    raise
                log.error("add-on %s of %s: %s", name, self.key, error)
                with self._writing() as context:
                    addon_health.report(context, self.name, name, applied=False, short=[], error=error.message)
                return
        for stale in applied.removable([one for one in (before or {}).get("objects", []) if one not in references]):
            await client.delete(stale[0], stale[1], stale[3], stale[2])
        self._note(name, {"digest": applied.digest(addon), "objects": references})
        self._look_at = 0.0

    async def _remove(self, name: str, row: dict[str, Any], *, preserve: bool) -> None:
        if not preserve:
            client = await self._backend.client(self.key)
            for api_version, kind, namespace, object_name in applied.removable(row["objects"]):
                await _delete(client, api_version, kind, object_name, namespace)
        with self._writing():
            self._world.store.delete(ADDON_APPLIED, self.scope, f"{self.name}/{name}")

    def _note(self, name: str, row: dict[str, Any]) -> None:
        if not self._alive():
            return  # deleted while its add-on was being applied: its bookkeeping is gone and stays so
        with self._writing():
            self._world.store.put(ADDON_APPLIED, self.scope, f"{self.name}/{name}", row)

    # --- health

    async def _look(self) -> bool:
        """Report how the add-ons are. Whether all are well; a control plane that does not run is not started for this."""
        if not self._backend.started(self.key):
            return True
        client = await self._backend.client(self.key)
        seen = await workloads.read(client)
        plugged = seen.plugged()
        if plugged != self._memory.plugged() and self._alive():
            self._memory.note_plugged(plugged)
            await self._sync_nodes()
        well = True
        present = self._applied()
        for name, addon in self._addons().items():
            row = present.get(name)
            if row is None or row["digest"] != applied.digest(addon):
                well = False
                continue
            short = self._short(seen, row["objects"])
            well = well and not short
            with self._writing() as context:
                if not addon_health.report(context, self.name, name, applied=True, short=short):
                    addon_health.assess(context, self.name, name)
        return well

    def _short(self, seen: workloads.Workloads, references: list[applied.Reference]) -> list[str]:
        """Workloads of an add-on that lack pods: Deployments at once, DaemonSets when it lasts."""
        short = []
        now = asyncio.get_running_loop().time()
        for _, kind, namespace, name in references:
            key = (kind, namespace, name)
            if kind not in ("Deployment", "DaemonSet"):
                continue
            if seen.missing(key) <= 0:
                self._short_since.pop(key, None)
                continue
            since = self._short_since.setdefault(key, now)
            if kind == "Deployment" or now - since >= _DAEMON_PATIENCE:
                short.append(f"{kind} {namespace}/{name}")
        return short


async def _delete(client: KubeClient, api_version: str, kind: str, name: str, namespace: str) -> None:
    """Objects of kinds that are gone themselves (a definition deleted before) are gone too."""
    try:
        await client.delete(api_version, kind, name, namespace)
    except KubeError as error:
        if error.status != 404:
            raise
