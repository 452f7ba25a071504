"""One round of HyperPod's Karpenter in one cluster: look at all, then do what is next for each class, pool, claim and waiting pod."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError
from sandbox.durations import duration
from sandbox.kube.controllers import machines
from sandbox.kube.controllers.karpenter import definitions, disruption, judging, packing, pods, snapshot
from sandbox.kube.controllers.karpenter.amounts import less, numbers, total, within
from sandbox.kube.controllers.karpenter.hyperpod import HyperPod
from sandbox.kube.controllers.karpenter.lifecycle import Claims
from sandbox.kube.controllers.karpenter.memory import Memory
from sandbox.kube.controllers.karpenter.names import (
    CORE_API,
    GROUP_LABEL,
    NODE_CLAIM,
    NODE_CLASS,
    NODE_POOL,
    PROVIDER_API,
    TYPE_LABEL,
    ZONE_LABEL,
)
from sandbox.kube.controllers.karpenter.objects import condition, going, labels_of, logical_id, node_claim, pool_of
from sandbox.kube.controllers.karpenter.offerings import Offering, offerings
from sandbox.kube.controllers.karpenter.packing import Room
from sandbox.kube.controllers.karpenter.snapshot import Snapshot
from sandbox.kube.protocol import KubeBackend, KubeClient, KubeError, Manifest

if TYPE_CHECKING:
    from sandbox.world import World

log = logging.getLogger(__name__)

_BUSY_SECONDS, _QUIET_SECONDS = 0.4, 2.0
_OVERTAKEN = (404, 409)  # somebody else was faster: the next round sees it


class Karpenter:
    def __init__(self, world: World, backend: KubeBackend, scope: str, name: str) -> None:
        self._backend, self._key = backend, f"{scope}/{name}"
        self._hyperpod = HyperPod(world, scope, name)
        self._memory = Memory(world, scope, name)
        self._unavailable: dict[tuple[str, str, str], float] = {}
        self._next = 0.0

    async def round(self) -> None:
        """Does nothing before it is time again."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._next and not self._leaving:
            return
        try:
            busy = await self._look()
        except KubeError as error:
            if error.status not in _OVERTAKEN:
                raise
            log.info("autoscaling of %s: %s; again", self._key, error)
            self._memory.unconfirmed = error.status == 404  # the definitions themselves may be gone
            busy = True
        except AWSError as error:
            log.warning("autoscaling of %s: %s: %s; again", self._key, error.code, error.message)
            busy = False
        self._next = loop.time() + (_BUSY_SECONDS if busy else _QUIET_SECONDS)

    @property
    def _leaving(self) -> bool:
        """HyperPod waits for the definitions to be gone."""
        return self._memory.installed and self._hyperpod.cluster() is None

    async def _look(self) -> bool:
        """Whether anything is on its way."""
        cluster = self._hyperpod.cluster()
        if cluster is None:
            if self._memory.installed and await definitions.remove(await self._backend.client(self._key)):
                self._memory.forget()
            if not self._memory.installed:
                self._hyperpod.vanished()  # at each look: a crash may have come after forgetting
            return self._memory.installed
        if not self._memory.installed:
            self._memory.note_installed()  # before it is so: what a crash leaves half installed is then taken back
            self._memory.unconfirmed = True
        if self._memory.unconfirmed:
            await definitions.install(await self._backend.client(self._key))
            self._memory.unconfirmed = False
            return True
        if not self._backend.started(self._key):
            return False
        return await _Round(self, cluster, await self._backend.client(self._key)).run()


class _Round:
    """The state of one look; nothing of it outlives it."""

    def __init__(self, karpenter: Karpenter, cluster: dict[str, Any], client: KubeClient) -> None:
        self._hyperpod, self._memory, self._unavailable = karpenter._hyperpod, karpenter._memory, karpenter._unavailable
        self._cluster, self._client = cluster, client
        self._groups: judging.Groups = {
            group["name"]: (group, self._hyperpod.subnets(cluster, group)) for group in cluster["groups"] if group["status"] != "Deleting"
        }
        self._rows = self._hyperpod.nodes(cluster)
        self._seen = Snapshot()
        self._offered: dict[str, list[Offering]] = {}

    async def run(self) -> bool:
        self._seen = seen = await snapshot.read(self._client)
        await self._judge()
        lifecycle = Claims(self._client, self._hyperpod, self._cluster, self._rows, seen)
        self._offered = {name: [*self._of_pool(pool)] for name, pool in seen.pools.items()}
        for claim in seen.claims:
            if not going(claim) and (pool_of(claim) not in seen.pools or going(seen.pools[pool_of(claim)])):
                await self._client.delete(CORE_API, NODE_CLAIM, claim["metadata"]["name"])  # as garbage collection does, sooner
            elif not going(claim) and not logical_id(claim):
                await self._launch(claim)
            elif problem := await lifecycle.tend(claim):
                await self._give_up(claim, problem)
        self._remove_strays()
        needed = await self._provide()
        await self._disrupt(needed)
        return bool(seen.waiting) or any(going(claim) or condition(claim, "Ready") != "True" for claim in seen.claims)

    # --- node classes and pools

    async def _judge(self) -> None:
        for name, item in self._seen.classes.items():
            item["status"] = await self._report(PROVIDER_API, NODE_CLASS, name, item, judging.class_status(item, self._groups))
        for name, pool in self._seen.pools.items():
            own = [claim for claim in self._seen.claims if pool_of(claim) == name]
            pool["status"] = await self._report(CORE_API, NODE_POOL, name, pool, judging.pool_status(pool, self._seen.classes, own))

    async def _report(self, api_version: str, kind: str, name: str, item: Manifest, status: dict[str, Any]) -> dict[str, Any]:
        before = item.get("status") or {}
        if any(before.get(member) != value for member, value in status.items()):
            await self._client.patch(api_version, kind, name, {"status": status}, subresource="status")
        return {**before, **status}

    def _of_pool(self, pool: Manifest) -> list[Offering]:
        found = self._seen.classes.get(pool["spec"]["template"]["spec"]["nodeClassRef"]["name"])
        named = found["spec"]["instanceGroups"] if found is not None else []
        return [one for name in named if name in self._groups for one in offerings(pool, *self._groups[name], self._cluster["name"])]

    # --- nodes for pods that wait

    async def _provide(self) -> set[str]:
        """Names of the nodes and claims that pods that wait will go to."""
        waiting = self._seen.waiting
        if not waiting:
            return set()
        rooms = self._rooms()
        now = self._hyperpod.now
        ready = [pool for pool in self._seen.pools.values() if condition(pool, "Ready") == "True" and not going(pool)]
        ready.sort(key=lambda pool: (-pool["spec"].get("weight", 1), pool["metadata"]["name"]))
        offered = [[one for one in self._offered[pool["metadata"]["name"]] if self._unavailable.get(one.key, 0.0) <= now] for pool in ready]
        for offering, room in packing.pack(waiting, rooms, offered, self._seen.daemons, self._allowed):
            made = await self._client.create(node_claim(self._seen.pools[offering.pool], offering, room.wanted))
            await self._launch(made)
        return {room.name for room in rooms if room.taken}

    def _rooms(self) -> list[Room]:
        """Nodes that are there, and those that are coming."""
        seen, coming, rooms = self._seen, set[str](), list[Room]()
        for claim in seen.claims:
            row = self._rows.get(logical_id(claim))
            node = machines.name_of(row) if row is not None and row["instance_id"] else ""
            if going(claim) or condition(claim, "Initialized") == "True":
                if going(claim):
                    coming.add(node)
                continue
            coming.add(node)
            offering = self._offering(claim)
            if offering is not None:
                room = packing.room_of(offering, seen.daemons, claim["metadata"]["name"])
                room.free = less(room.free, total(pods.requests(pod["spec"]) for pod in seen.occupants(node)) if node else {})
                rooms.append(room)
        for name, item in seen.nodes.items():
            if name not in coming and snapshot.node_ready(item) and not item["spec"].get("unschedulable") and not going(item):
                rooms.append(Room(labels_of(item), tuple(item["spec"].get("taints", [])), seen.free(name), name))
        return rooms

    def _offering(self, claim: Manifest) -> Offering | None:
        labels = labels_of(claim)
        key = labels.get(GROUP_LABEL), labels.get(TYPE_LABEL), labels.get(ZONE_LABEL)
        return next((one for one in self._offered.get(pool_of(claim), []) if one.key == key), None)

    def _allowed(self, offering: Offering, made: list[Offering]) -> bool:
        pool = self._seen.pools[offering.pool]
        limits = numbers(pool["spec"].get("limits"))
        own = [claim for claim in self._seen.claims if pool_of(claim) == offering.pool]
        new = [one for one in [*made, offering] if one.pool == offering.pool]
        after = total([judging.used(own), *(numbers(one.capacity) for one in new), {"nodes": float(len(new))}])
        return within({name: after.get(name, 0.0) for name in limits}, limits)

    async def _launch(self, claim: Manifest) -> None:
        offering = self._offering(claim)
        if offering is None:
            await self._drop(claim)
            return
        try:
            found = self._hyperpod.add(self._cluster, offering, claim["metadata"]["uid"])
        except AWSError as error:
            await self._give_up(claim, f"{error.code}: {error.message}")
            return
        await Claims.note(self._client, claim, found, offering)

    async def _give_up(self, claim: Manifest, problem: str) -> None:
        """No node comes of this claim: the offering is left alone for a while, and pods that wait are told why."""
        offering = self._offering(claim)
        if offering is not None:
            until = self._hyperpod.now + duration("sagemaker.autoscaling.retry")
            self._unavailable[offering.key] = until
            self._hyperpod.wake_at(until)
        row = self._rows.get(logical_id(claim))
        if row is not None and row["status"] != "ShuttingDown":
            self._hyperpod.delete(self._cluster, [row["logical_id"]])
        await self._drop(claim)
        for pod in self._seen.waiting:
            await Claims.tell(self._client, pod, f"Failed to launch a node of instance group {labels_of(claim)[GROUP_LABEL]}: {problem}")

    async def _drop(self, claim: Manifest) -> None:
        name = claim["metadata"]["name"]
        await self._client.patch(CORE_API, NODE_CLAIM, name, {"metadata": {"finalizers": None}})
        await self._client.delete(CORE_API, NODE_CLAIM, name)

    # --- nodes that nobody needs

    def _remove_strays(self) -> None:
        """Nodes of its groups that it did not ask for go (aws.md §3); not while it is unsure which are its own."""
        if not all(logical_id(claim) for claim in self._seen.claims):
            return
        known = {logical_id(claim) for claim in self._seen.claims}
        kept = {
            name for item in self._seen.classes.values() if condition(item, "Ready") == "True" for name in item["spec"]["instanceGroups"]
        }
        strays = [row["logical_id"] for row in self._rows.values() if row["group"] in kept and row["status"] != "ShuttingDown"]
        if strays := [one for one in strays if one not in known]:
            self._hyperpod.delete(self._cluster, strays)

    async def _disrupt(self, needed: set[str]) -> None:
        now, idle = self._hyperpod.now, dict[str, float]()
        for name, pool in self._seen.pools.items():
            own = [claim for claim in self._seen.claims if pool_of(claim) == name]
            leaving = sum(going(claim) for claim in own)
            for claim in own:
                reason = "" if going(claim) else self._reason(pool, claim, needed, now, idle)
                if reason and disruption.allowance(pool, reason, len(own), leaving) > 0:
                    log.info("autoscaling of %s: %s goes: %s", self._cluster["name"], claim["metadata"]["name"], reason)
                    await self._client.delete(CORE_API, NODE_CLAIM, claim["metadata"]["name"])
                    leaving += 1
        self._memory.note_idle(idle)

    def _reason(self, pool: Manifest, claim: Manifest, needed: set[str], now: float, idle: dict[str, float]) -> str:
        """Why the claim's node may go now, "" for no reason. idle: filled in with since when it is."""
        found = self._seen.classes.get(claim["spec"]["nodeClassRef"]["name"])
        if found is not None and labels_of(claim)[GROUP_LABEL] not in found["spec"]["instanceGroups"]:
            return "Drifted"
        name, node = claim["metadata"]["name"], (claim.get("status") or {}).get("nodeName", "")
        if condition(claim, "Initialized") != "True" or {name, node} & needed or self._seen.occupants(node):
            return ""
        idle[name] = since = self._memory.idle.get(name, now)
        patience = disruption.patience(pool)
        if patience is None:
            return ""
        if now >= since + patience:
            return "Empty"
        if name not in self._memory.idle:
            self._hyperpod.wake_at(since + patience)
        return ""
