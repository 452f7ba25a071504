"""The Kubernetes side of a sandbox: `create(world)` makes what `protocol.KubeBackend` promises."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import cached_property

from aiohttp import web

from sandbox.kube import access_policies, binary, issuers, pki, ports, progress
from sandbox.kube.control_plane import Outside
from sandbox.kube.endpoint import Endpoint
from sandbox.kube.kubelet.fleet import Fleet
from sandbox.kube.pool import Pool
from sandbox.kube.protocol import KubeClient, KubeEndpoint, KubeError
from sandbox.kube.reservations import Reservation, Reservations
from sandbox.kube.serving import Serving
from sandbox.kube.signin import SignIn
from sandbox.kube.sockets import Sockets
from sandbox.kube.tasks import Tasks
from sandbox.world import World

log = logging.getLogger(__name__)

_ROUND_SECONDS = 0.2
_EKS_CLUSTER = "eks.cluster"


@dataclass(frozen=True)
class KubeSettings:
    keep_idle: int = 1  # wiped control planes kept running for the next cluster; each takes about 270 MB
    prewarm: int = 1  # control planes that may be started ahead at one time
    most_running: int = 8  # beyond it the one that was not used for longest is stopped, where nobody is connected to it


class Backend:
    def __init__(self, world: World, settings: KubeSettings) -> None:
        self._world = world
        self._settings = settings
        self._folder = world.settings.state_dir / "kube"
        self._reservations = Reservations(world.store)
        self._sockets = Sockets(world.settings.state_dir)
        self._pool = Pool(self._folder / "planes", lambda: self._pki, self._outside, settings.keep_idle)
        self._fleet = Fleet(self, self._reservations)
        self._sign_in = SignIn(world, self._cluster_of, self._bind_in_namespaces)
        self._sign_in_port = 0
        self._web: web.AppRunner | None = None
        self._tasks = Tasks()
        self._retiring = Tasks()
        self._warmed_at = -1
        self._endpoints: dict[str, tuple[Reservation, Endpoint]] = {}
        self._serving: dict[str, Serving] = {}
        self._used_at: dict[str, float] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._prewarming: set[str] = set()
        self._reconciling = asyncio.Lock()
        self._known: dict[str, Reservation] = {}

    @cached_property
    def _pki(self) -> pki.Pki:
        return pki.ensure(self._folder / "pki")

    @property
    def kubelet(self) -> Fleet:
        return self._fleet

    def available(self) -> bool:
        return binary.ready()

    def progress(self) -> str:
        return "" if self.available() else progress.read().sentence()

    def versions(self) -> list[str]:
        return [".".join(binary.VERSION.lstrip("v").split(".")[:2])]

    def reserve(self, cluster_key: str) -> KubeEndpoint:
        reservation = self._reservations.get(cluster_key)
        if reservation is None:
            region = cluster_key.split("/")[1]
            reservation = self._reservations.make(cluster_key, self._pool.promise_issuer(region) or issuers.new(region))
        if cluster_key not in self._endpoints and self._web is not None:
            self._tasks.start(self._reconcile(), f"endpoint of {cluster_key}")
        return KubeEndpoint(f"https://127.0.0.1:{reservation.port}", self._pki.ca_pem, reservation.issuer)

    def prewarm(self, cluster_key: str) -> None:
        if cluster_key in self._prewarming or self.started(cluster_key) or not self.available():
            return
        room = len(self._pool.running()) < self._settings.most_running
        if len(self._prewarming) < self._settings.prewarm and room and self._web is not None:
            self._prewarming.add(cluster_key)
            self._tasks.start(self._prewarm(cluster_key), f"start of the control plane of {cluster_key}")

    def release(self, cluster_key: str) -> None:
        self._reservations.drop(cluster_key)

    def started(self, cluster_key: str) -> bool:
        return self.serving(cluster_key) is not None

    def connected(self, cluster_key: str) -> bool:
        """Whether anybody is connected to the cluster's endpoint."""
        entry = self._endpoints.get(cluster_key)
        return entry is not None and entry[1].connected

    async def client(self, cluster_key: str) -> KubeClient:
        return (await self.serve(cluster_key)).client

    async def start(self) -> None:
        reservations = [self._reservations.get(key) for key in self._reservations.keys()]  # noqa: SIM118 - no dict
        used = {reservation.plane for reservation in reservations if reservation is not None}
        self._pool.clean_up(used)
        self._sockets.open()
        application = web.Application()
        self._sign_in.add_routes(application)
        self._web = web.AppRunner(application, access_log=None, shutdown_timeout=0.2)
        await self._web.setup()
        site = web.TCPSite(self._web, "127.0.0.1", 0)
        await site.start()
        self._sign_in_port = self._web.addresses[0][1]
        await self._reconcile()
        self._tasks.start(self._run(), "the Kubernetes backend")

    async def stop(self) -> None:
        await self._tasks.stop()
        await self._retiring.stop()
        for _, endpoint in self._endpoints.values():
            await endpoint.close()
        self._endpoints.clear()
        serving, self._serving = [*self._serving.values()], {}
        await asyncio.gather(*(item.end() for item in serving))
        await self._pool.stop_all()
        if self._web is not None:
            await self._web.cleanup()
            self._web = None
        self._sockets.close()

    async def reset(self) -> None:
        for key in self._reservations.keys():  # noqa: SIM118 - no dict
            self._reservations.drop(key)
        await self.settled()
        self._pool.clean_up({*self._pool.running()})

    async def settled(self) -> None:
        """Until released clusters' endpoints are closed and their control planes given back."""
        await self._reconcile()
        await self._retiring.wait()

    def idle_planes(self) -> list[str]:
        """Ids of control planes that run for nobody yet."""
        return self._pool.idle()

    def serving(self, cluster_key: str) -> Serving | None:
        """The cluster's control plane, if it runs."""
        serving, reservation = self._serving.get(cluster_key), self._reservations.get(cluster_key)
        current = serving is not None and reservation is not None and serving.reservation.uid == reservation.uid
        return serving if current and serving is not None and serving.plane.running else None

    async def serve(self, cluster_key: str) -> Serving:
        """The cluster's control plane, started when it does not run. KubeError when that is not possible."""
        self._used_at[cluster_key] = asyncio.get_running_loop().time()
        serving = self.serving(cluster_key)
        if serving is not None:
            return serving
        async with self._locks.setdefault(cluster_key, asyncio.Lock()):
            serving = self.serving(cluster_key)
            if serving is None:
                serving = await self._begin(cluster_key)
            return serving

    async def _begin(self, cluster_key: str) -> Serving:
        if self._web is None:
            raise KubeError("Unreachable", "the sandbox's Kubernetes side is not started")
        if not self.available():
            raise KubeError("Unreachable", f"the control plane's binary is not there: {self.progress() or 'it is not built'}")
        before = self._serving.get(cluster_key)
        if before is not None:
            await self._retire(cluster_key, before)
        reservation = self._reservations.get(cluster_key)
        if reservation is None:
            raise KubeError("NotFound", f"there is no cluster {cluster_key}", 404)
        if not reservation.plane:
            plane_id = self._pool.take_idle(reservation.issuer) or self._pool.new_id()
            reservation = self._reservations.set_plane(cluster_key, reservation, plane_id)
        await self._make_room(cluster_key)
        plane = await self._pool.start(reservation.plane, reservation.issuer)
        nodes = self._reservations.nodes(cluster_key)
        serving = await Serving.begin(reservation, plane, self._pki, self._sockets, lambda: self._world.clock.speed, nodes)
        self._serving[cluster_key] = serving
        return serving

    async def _retire(self, cluster_key: str, serving: Serving) -> None:
        """End what serves the cluster: its plane is given back when the cluster is gone, else stopped."""
        if self._serving.get(cluster_key) is not serving:  # somebody else did
            return
        del self._serving[cluster_key]
        await serving.end()
        current = self._reservations.get(cluster_key)
        if current is not None and current.uid == serving.reservation.uid:
            await self._pool.stop(serving.reservation.plane)
        else:
            serving.forget_logs()
            await self._pool.give_back(serving.reservation.plane)
            self._used_at.pop(cluster_key, None)

    async def _make_room(self, for_key: str) -> None:
        """Stop the planes that were not used for longest."""
        candidates = sorted(self._serving, key=lambda key: self._used_at.get(key, 0.0))
        for key in candidates:
            if len(self._pool.running()) < self._settings.most_running:
                return
            if key != for_key and not self.connected(key) and not self._reservations.nodes(key):
                await self._retire(key, self._serving[key])

    async def _prewarm(self, cluster_key: str) -> None:
        try:
            await self.serve(cluster_key)
        except KubeError as error:
            log.warning("the control plane of %s is not started ahead: %s", cluster_key, error)
        finally:
            self._prewarming.discard(cluster_key)

    async def _run(self) -> None:
        """Bring endpoints and planes in line with the reservations, for ever."""
        while True:
            await asyncio.sleep(_ROUND_SECONDS)
            try:
                await self._reconcile()
                await self._restart_dead()
                self._warm()
            except Exception:
                # the loop must go on: the next round may succeed
                log.exception("the Kubernetes backend could not bring endpoints and control planes in line")

    def _warm(self) -> None:
        """While EKS clusters are being created, have a control plane ready for the first of them."""
        version = self._world.store.version
        if version == self._warmed_at or not self.available():
            return
        self._warmed_at = version
        store = self._world.store
        creating = sum(row.get("status") == "CREATING" for scope in store.scopes(_EKS_CLUSTER) for row in store.list(_EKS_CLUSTER, scope))
        room = len(self._pool.running()) < self._settings.most_running
        if len(self._pool.idle()) + self._pool.warming < min(creating, self._settings.prewarm) and room:
            self._tasks.start(self._pool.warm(self._world.settings.region), "start of a control plane ahead")

    async def _restart_dead(self) -> None:
        for key in [key for key, serving in self._serving.items() if not serving.plane.running]:
            log.error("a process of the control plane of %s has ended; it is started again", key)
            await self._prewarm(key)

    async def _reconcile(self) -> None:
        """Open the endpoints of new clusters, close those of deleted ones, and start giving back their control planes."""
        async with self._reconciling:
            wanted = {key: found for key in self._reservations.keys() if (found := self._reservations.get(key))}  # noqa: SIM118 - no dict
            for key, (reservation, endpoint) in [*self._endpoints.items()]:
                if _is_other(wanted.get(key), reservation):
                    del self._endpoints[key]
                    await endpoint.close()
            for key, current in wanted.items():
                if key not in self._endpoints:
                    await self._open(key, current)
            for key, reservation in self._known.items():
                # its control plane did not run: only its folder is left
                if _is_other(wanted.get(key), reservation) and key not in self._serving and reservation.plane:
                    self._retiring.start(self._pool.give_back(reservation.plane), f"removal of {reservation.plane}")
            for key, serving in self._serving.items():
                if _is_other(wanted.get(key), serving.reservation):
                    self._retiring.start(self._retire(key, serving), f"end of the control plane of {key}")
            self._known = wanted

    async def _open(self, cluster_key: str, reservation: Reservation) -> None:
        name = cluster_key.rpartition("/")[2]
        for _ in range(5):
            endpoint = Endpoint(
                reservation.port,
                lambda: self._upstream(cluster_key),
                lambda: self._world.faults.scenario("kube_partition", cluster=name) is not None,
            )
            try:
                await endpoint.open()
            except OSError as error:
                port = ports.choose()
                log.warning("port %d of %s is taken (%s): it moves to %d", reservation.port, cluster_key, error, port)
                reservation = self._reservations.set_port(cluster_key, reservation, port)
                continue
            self._endpoints[cluster_key] = reservation, endpoint
            return
        raise OSError(f"no port for the endpoint of {cluster_key}")

    async def _upstream(self, cluster_key: str) -> int:
        return (await self.serve(cluster_key)).plane.port

    def _outside(self, plane_id: str) -> Outside:
        return Outside(f"http://127.0.0.1:{self._sign_in_port}/sign-in/{plane_id}", self._sockets.egress(plane_id))

    def _cluster_of(self, plane_id: str) -> str | None:
        return next((key for key, serving in self._serving.items() if serving.reservation.plane == plane_id), None)

    async def _bind_in_namespaces(self, cluster_key: str, groups: list[str]) -> None:
        serving = self.serving(cluster_key)
        if serving is not None:
            await access_policies.bind_in_namespaces(serving.client, groups)


def _is_other(current: Reservation | None, before: Reservation) -> bool:
    """Whether the cluster of an earlier reservation is gone, even if there is a new one of its name."""
    return current is None or current.uid != before.uid


async def create(world: World, settings: KubeSettings | None = None) -> Backend:
    """The backend of a world; it becomes `world.kube`. Await its `start` next, and `stop` at the end."""
    backend = Backend(world, settings or KubeSettings())
    world.kube = backend
    return backend
