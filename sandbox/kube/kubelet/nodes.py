"""The machines of one cluster: registering them, keeping their leases, losing and finding them again."""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import dataclass, field

from sandbox.kube.client import Client
from sandbox.kube.control_plane import NODE_GRACE_SECONDS
from sandbox.kube.kubelet import node_object
from sandbox.kube.kubelet.addresses import Addresses
from sandbox.kube.node import NodeSpec
from sandbox.kube.protocol import KubeError, Manifest

log = logging.getLogger(__name__)

_LEASE_SECONDS = NODE_GRACE_SECONDS * 0.4  # two may be missed
_ROUND_SECONDS = 1.0


@dataclass
class Machine:
    """One node's kubelet: `answering` is cleared while the machine is lost. `told`: whether it was Ready when its status was last
    written; `telling` is held meanwhile, so that an older status never lands upon a newer one."""

    spec: NodeSpec
    boot_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    uid: str = ""
    has_network: bool = False
    answering: asyncio.Event = field(default_factory=asyncio.Event)
    next_lease: float = 0.0
    told: bool | None = None
    telling: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def lost(self) -> bool:
        return not self.answering.is_set()

    @property
    def ready(self) -> bool:
        return self.has_network or not self.spec.needs_cni


class Machines:
    def __init__(self, client: Client, addresses: Addresses) -> None:
        self._client = client
        self._addresses = addresses
        self._machines: dict[str, Machine] = {}

    def names(self) -> list[str]:
        return [*self._machines]

    def get(self, name: str) -> Machine | None:
        return self._machines.get(name)

    def by_address(self, address: str) -> Machine | None:
        return next((machine for machine in self._machines.values() if address in (machine.spec.ip, machine.spec.name)), None)

    async def register(self, spec: NodeSpec, *, lost: bool = False) -> Machine:
        """Make the Node object or bring it in line with `spec`."""
        machine = self._machines.get(spec.name)
        if machine is not None and machine.spec == spec and machine.uid:
            return machine
        if machine is None:
            machine = self._machines[spec.name] = Machine(spec)
            if not lost:
                machine.answering.set()
        before, machine.spec = machine.spec, spec
        self._addresses.claim(subnet_of(spec), spec.ip)
        ready = machine.ready
        try:
            created = await self._client.create(node_object.node(spec, ready=ready, boot_id=machine.boot_id))
            machine.uid, machine.told = created["metadata"]["uid"], ready
            await self._first_lease(machine)
        except KubeError as error:
            if error.code != "AlreadyExists":
                raise
            adopted = await self._adopt(machine, before)
            machine.uid = adopted["metadata"]["uid"]
            if not machine.lost:
                await self._renew(machine)
        return machine

    async def remove(self, name: str) -> bool:
        machine = self._machines.pop(name, None)
        if machine is None:
            return False
        machine.answering.set()  # whoever waits for it must end
        self._addresses.give_back(subnet_of(machine.spec), machine.spec.ip)
        await self._client.delete("v1", "Node", name)
        return True

    async def network_ready(self, machine: Machine) -> None:
        """The CNI works on the node: it becomes Ready if that was missing."""
        was_ready = machine.ready
        machine.has_network = True
        if not was_ready and not machine.lost:
            await self._post_conditions(machine)

    async def restore(self, machine: Machine, *, rebooted: bool = False) -> None:
        if rebooted:
            machine.boot_id = str(uuid.uuid4())
        machine.answering.set()
        machine.next_lease = 0.0
        try:
            await self._renew(machine)
            await self._post_conditions(machine)
        except KubeError as error:
            log.warning("node %s is back, but: %s", machine.spec.name, error)

    async def run(self) -> None:
        """Renew leases for ever."""
        loop = asyncio.get_running_loop()
        while True:
            now = loop.time()
            due = [machine for machine in self._machines.values() if not machine.lost and machine.uid and machine.next_lease <= now]
            await asyncio.gather(*(self._catch_up(machine) for machine in [*self._machines.values()]))
            results = await asyncio.gather(*(self._renew(machine) for machine in due), return_exceptions=True)
            for machine, result in zip(due, results, strict=True):
                if isinstance(result, KubeError) and result.status == 404:
                    await self._register_again(machine)
            await asyncio.sleep(_ROUND_SECONDS)

    async def _adopt(self, machine: Machine, before: NodeSpec) -> Manifest:
        """A Node object of an earlier run, or one whose spec changed: labels and taints that are no longer ours to set go."""
        spec = machine.spec
        gone = node_object.labels(before).keys() - node_object.labels(spec).keys()
        patch: dict[str, object] = {"metadata": {"labels": {**node_object.labels(spec), **dict.fromkeys(gone)}}}
        if spec.taints != before.taints:
            current = await self._client.get("v1", "Node", spec.name) or {}
            ours = {(taint.key, taint.effect) for taint in before.taints}
            others = [taint for taint in current.get("spec", {}).get("taints", []) if (taint["key"], taint["effect"]) not in ours]
            patch["spec"] = {"taints": others + node_object.taints(spec)}
        answer = await self._client.patch("v1", "Node", spec.name, patch)
        if not machine.lost:
            async with machine.telling:
                ready = machine.ready
                whole = {"status": node_object.status(spec, ready=ready, boot_id=machine.boot_id)}
                await self._client.patch("v1", "Node", spec.name, whole, patch_type="strategic", subresource="status")
                machine.told = ready
        return answer

    async def _catch_up(self, machine: Machine) -> None:
        """What could not be told when it happened is told now."""
        if machine.lost or not machine.uid or machine.told in (None, machine.ready):
            return
        try:
            await self._post_conditions(machine)
        except KubeError as error:
            log.warning("node %s: %s; again", machine.spec.name, error)

    async def _register_again(self, machine: Machine) -> None:
        """Somebody deleted the Node or its lease: a real kubelet makes them again."""
        if self._machines.get(machine.spec.name) is not machine:
            return
        machine.uid = ""
        try:
            await self.register(machine.spec)
        except KubeError as error:
            log.warning("node %s cannot register again: %s", machine.spec.name, error)

    async def _renew(self, machine: Machine) -> None:
        name = machine.spec.name
        machine.next_lease = asyncio.get_running_loop().time() + _LEASE_SECONDS
        renewal = {"spec": {"renewTime": node_object.micro_time()}}
        try:
            lease = "coordination.k8s.io/v1", "Lease", name
            await self._client.patch(*lease, renewal, namespace=node_object.LEASE_NAMESPACE)
        except KubeError as error:
            if error.status != 404:
                raise
            if await self._client.get("v1", "Node", name) is None:
                raise
            await self._first_lease(machine)

    async def _first_lease(self, machine: Machine) -> None:
        machine.next_lease = asyncio.get_running_loop().time() + _LEASE_SECONDS
        try:
            await self._client.create(node_object.lease(machine.spec.name, machine.uid))
        except KubeError as error:
            if error.code != "AlreadyExists":  # of a node of this name that was just deleted
                raise
            machine.next_lease = 0.0

    async def _post_conditions(self, machine: Machine) -> None:
        async with machine.telling:
            ready = machine.ready
            patch = {
                "status": {
                    "conditions": node_object.conditions(ready=ready),
                    "nodeInfo": {"bootID": machine.boot_id},
                }
            }
            await self._client.patch("v1", "Node", machine.spec.name, patch, patch_type="strategic", subresource="status")
            machine.told = ready


def subnet_of(spec: NodeSpec) -> str:
    """The CIDR that pods on the node get addresses from."""
    return spec.subnet or f"{spec.ip.rsplit('.', 2)[0]}.0.0/16"
