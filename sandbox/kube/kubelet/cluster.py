"""The kubelets of one cluster: its machines, and a worker for each pod that is bound to one of them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Callable, Set
from pathlib import Path

from aiohttp import web

from sandbox.kube.client import Client
from sandbox.kube.doubles import catalog
from sandbox.kube.egress import Streams
from sandbox.kube.kubelet.addresses import Addresses
from sandbox.kube.kubelet.container import Container
from sandbox.kube.kubelet.csi import CsiDrivers
from sandbox.kube.kubelet.logs import LogFolder
from sandbox.kube.kubelet.node_object import KUBELET_PORT
from sandbox.kube.kubelet.nodes import Machines
from sandbox.kube.kubelet.pod import PodWorker
from sandbox.kube.kubelet.recorder import Recorder
from sandbox.kube.kubelet.server import application
from sandbox.kube.node import NodeSpec
from sandbox.kube.pki import Pki
from sandbox.kube.protocol import KubeError, Manifest
from sandbox.kube.tasks import Tasks

log = logging.getLogger(__name__)

_ = catalog  # importing it registers the doubles
_RETRY_SECONDS = 1.0


class ClusterKubelet:
    """`socket` is where its HTTPS API listens; `speed` gives virtual seconds a real one."""

    def __init__(self, client: Client, pki: Pki, *, socket: Path, logs: Path, speed: Callable[[], float]) -> None:
        self.client = client
        self.speed = speed
        self.logs = LogFolder(logs)
        self.addresses = Addresses()
        self.recorder = Recorder(client)
        self.machines = Machines(client, self.addresses)
        self._csi = CsiDrivers(client)
        self._pki = pki
        self._socket = socket
        self._tasks = Tasks()
        self._runner: web.AppRunner | None = None
        self._workers: dict[str, PodWorker] = {}  # by pod uid
        self._by_name: dict[tuple[str, str], PodWorker] = {}
        self._waiting: dict[str, dict[str, Manifest]] = {}  # pods on nodes that are not ours (yet): node to uid to pod

    async def start(self) -> None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self._pki.certificate("server"), self._pki.key("server"))
        # only the apiserver may ask: it shows a certificate of our CA
        tls.verify_mode = ssl.CERT_REQUIRED
        tls.load_verify_locations(self._pki.certificate("ca"))
        self._runner = web.AppRunner(application(self), access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        self._socket.unlink(missing_ok=True)
        await web.UnixSite(self._runner, str(self._socket), ssl_context=tls).start()
        self._tasks.start(self._follow_pods(), "kubelet's pods")
        self._tasks.start(self.machines.run(), "kubelet's leases")
        self._tasks.start(self.recorder.run(), "kubelet's events")

    async def stop(self) -> None:
        await self._tasks.stop()
        for worker in [*self._workers.values()]:
            worker.abandon()
        self._workers.clear()
        self._by_name.clear()
        if self._runner is not None:
            await self._runner.cleanup()
        self._socket.unlink(missing_ok=True)

    async def register(self, spec: NodeSpec, *, lost: bool = False) -> None:
        await self.machines.register(spec, lost=lost)
        for pod in self._waiting.pop(spec.name, {}).values():
            self._take(pod)

    async def remove(self, name: str) -> bool:
        """The machine is gone, and what ran on it."""
        machine = self.machines.get(name)
        if machine is None:
            return False
        workers = [worker for worker in self._workers.values() if worker.machine is machine]
        removed = await self.machines.remove(name)
        self._csi.forget(name)
        for worker in workers:
            worker.abandon()
        # Kubernetes' own collector of orphaned pods waits 40 s
        await asyncio.gather(*(self._delete_orphan(worker) for worker in workers))
        return removed

    async def reboot(self, name: str) -> bool:
        machine = self.machines.get(name)
        if machine is None:
            return False
        for worker in self._workers.values():
            if worker.machine is machine:
                worker.restart_all()
        await self.machines.restore(machine, rebooted=True)
        return True

    def lose(self, name: str) -> bool:
        machine = self.machines.get(name)
        if machine is None:
            return False
        machine.answering.clear()
        return True

    def restore(self, name: str) -> bool:
        machine = self.machines.get(name)
        if machine is None:
            return False
        self._tasks.start(self.machines.restore(machine), f"return of {name}")
        return True

    def worker(self, namespace: str, name: str) -> PodWorker | None:
        return self._by_name.get((namespace, name))

    def drivers(self, node: str) -> Set[str]:
        return self._csi.on(node)

    def plug(self, worker: PodWorker, container: Container) -> None:
        """A container that other pods rely on is Ready: the node has a CSI driver, or a network, from now on."""
        owners = worker.manifest["metadata"].get("ownerReferences") or []
        if not any(owner["kind"] == "DaemonSet" for owner in owners):
            return
        double = container.double
        if double.csi_driver:
            self._tasks.start(self._csi.add(worker.machine, double.csi_driver, worker.uid), f"CSI driver on {worker.node_name}")
        if double.gives_network:
            self._tasks.start(self.machines.network_ready(worker.machine), f"network of {worker.node_name}")

    def unplug(self, worker: PodWorker) -> None:
        self._csi.remove(worker.node_name, worker.uid)

    async def dial(self, address: str, port: int) -> Streams:
        """A connection to a node or pod of the cluster. OSError when nothing answers there."""
        machine = self.machines.by_address(address)
        if machine is not None and machine.lost:
            raise OSError(f"dial tcp {address}:{port}: i/o timeout")
        if machine is not None and port == KUBELET_PORT:
            return await asyncio.open_unix_connection(self._socket)
        raise OSError(f"dial tcp {address}:{port}: connect: connection refused")

    async def _follow_pods(self) -> None:
        async for kind, pod in self.client.watch("v1", "Pod", fields="spec.nodeName!="):
            uid = pod["metadata"]["uid"]
            worker = self._workers.get(uid)
            if kind == "DELETED":
                self._forget(uid, pod)
            elif worker is not None:
                worker.update(pod)
            else:
                self._take(pod)

    def _take(self, pod: Manifest) -> None:
        metadata, node = pod["metadata"], pod["spec"]["nodeName"]
        machine = self.machines.get(node)
        if machine is None:
            self._waiting.setdefault(node, {})[metadata["uid"]] = pod
            return
        worker = self._workers[metadata["uid"]] = PodWorker(self, machine, pod)
        self._by_name[metadata["namespace"], metadata["name"]] = worker
        worker.begin()

    def _forget(self, uid: str, pod: Manifest) -> None:
        for waiting in self._waiting.values():
            waiting.pop(uid, None)
        worker = self._workers.pop(uid, None)
        if worker is None:
            return
        worker.abandon()
        if self._by_name.get((worker.namespace, worker.name)) is worker:
            del self._by_name[worker.namespace, worker.name]
        self.logs.forget(uid)

    async def _delete_orphan(self, worker: PodWorker) -> None:
        path = f"/api/v1/namespaces/{worker.namespace}/pods/{worker.name}"
        with contextlib.suppress(KubeError):
            await self.client.request("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": worker.uid}})
