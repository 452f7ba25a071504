"""A control plane at work for one cluster: its processes, its egress proxy, its kubelets."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox.kube.client import Client
from sandbox.kube.control_plane import ControlPlane
from sandbox.kube.egress import Egress
from sandbox.kube.kubelet.cluster import ClusterKubelet
from sandbox.kube.pki import Pki
from sandbox.kube.protocol import KubeError
from sandbox.kube.reservations import KnownNode, Reservation
from sandbox.kube.sockets import Sockets


@dataclass
class Serving:
    reservation: Reservation
    plane: ControlPlane
    client: Client
    kubelet: ClusterKubelet
    egress: Egress
    logs: Path

    @classmethod
    async def begin(
        cls, reservation: Reservation, plane: ControlPlane, pki: Pki, sockets: Sockets, speed: Callable[[], float], nodes: list[KnownNode]
    ) -> Serving:
        client = plane.client
        if client is None:
            raise KubeError("Unreachable", "the control plane has ended")
        logs = plane.folder / "logs"
        kubelet = ClusterKubelet(client, pki, socket=sockets.kubelet(reservation.plane), logs=logs, speed=speed)
        egress = Egress(sockets.egress(reservation.plane), kubelet.dial)
        serving = cls(reservation, plane, client, kubelet, egress, logs)
        try:
            await egress.open()
            await kubelet.start()
            for node in nodes:
                await kubelet.register(node.spec, lost=node.lost)
        except BaseException:
            await serving.end()
            raise
        return serving

    async def end(self) -> None:
        """The plane goes on; nobody plays its nodes any more."""
        await self.kubelet.stop()
        await self.egress.close()

    def forget_logs(self) -> None:
        shutil.rmtree(self.logs, ignore_errors=True)
