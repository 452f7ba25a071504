"""One Kubernetes control plane: etcd, kube-apiserver, kube-controller-manager and kube-scheduler as child processes.

Facts and measurements: reference/sandbox.md B. Ports are chosen anew at every start; what clients know is the endpoint in front.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from sandbox.kube import access_policies, binary, ports
from sandbox.kube.client import Client
from sandbox.kube.etcd import Etcd
from sandbox.kube.pki import Pki
from sandbox.kube.process import Process
from sandbox.kube.protocol import KubeError
from sandbox.kube.wipe import Baseline

_READY_SECONDS = 60.0
_POLL_SECONDS = 0.1
_ATTEMPTS = 2  # a port may be taken between our choosing and the process's binding it
_CACHES_SECONDS = 0.3  # until the apiserver's caches show what changed in etcd
NODE_GRACE_SECONDS = 20  # without a lease for so long a node is NotReady


@dataclass(frozen=True)
class Outside:
    """What a control plane needs of the sandbox: the sign-in webhook's URL and the egress proxy's socket."""

    sign_in_url: str
    egress_socket: Path


class ControlPlane:
    """State in `folder`: etcd's data, logs, generated configuration, the baseline that a wipe goes back to."""

    def __init__(self, folder: Path, pki: Pki, issuer: str, outside: Outside) -> None:
        self.folder = folder
        self._pki = pki
        self._issuer = issuer
        self._outside = outside
        self._processes: list[Process] = []
        self._session: aiohttp.ClientSession | None = None
        self._etcd: Etcd | None = None
        self.client: Client | None = None
        self.port = 0

    @property
    def running(self) -> bool:
        return self.client is not None and all(process.running for process in self._processes)

    async def start(self) -> None:
        """Until the API answers and its own bootstrapping is done. KubeError "Unreachable" with the cause otherwise."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                await self._start()
                return
            except KubeError:
                await self.stop()
                if attempt == _ATTEMPTS:
                    raise
            except BaseException:
                await self.stop()
                raise

    async def stop(self) -> None:
        client, self.client = self.client, None
        session, self._session = self._session, None
        if client:
            await client.close()
        processes, self._processes = self._processes, []
        # etcd last: the others would only log errors
        await asyncio.gather(*(process.stop() for process in processes[1:]))
        for process in processes[:1]:
            await process.stop()
        if session:
            await session.close()

    async def wipe(self) -> int:
        """Back to the state right after the first start; the number of keys changed."""
        if self._etcd is None or self.client is None:
            raise KubeError("Unreachable", "the control plane does not run")
        changed = await self._baseline().restore(self._etcd)
        await asyncio.sleep(_CACHES_SECONDS)
        return changed

    def last_lines(self) -> str:
        """The end of the log of the first process that ended, for error messages."""
        for process in self._processes:
            if not process.running:
                return f"{process.name} ended: {process.last_lines()}"
        return self._processes[-1].last_lines() if self._processes else ""

    async def _start(self) -> None:
        taken: set[int] = set()
        for _ in range(3):
            taken.add(ports.choose(frozenset(taken)))
        etcd_port, peer_port, self.port = sorted(taken)
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20))
        self._etcd = Etcd(f"http://127.0.0.1:{etcd_port}", self._session)
        self._write_configuration()
        self._processes = [
            Process("etcd", self.folder, self._etcd_command(etcd_port, peer_port)),
            Process("kube-apiserver", self.folder, self._apiserver_command(etcd_port)),
        ]
        await asyncio.gather(*(process.start() for process in self._processes))
        client = Client(f"https://127.0.0.1:{self.port}", self._pki)
        try:
            await self._until_healthy(client)
            followers = [
                Process("kube-controller-manager", self.folder, self._controller_manager_command()),
                Process("kube-scheduler", self.folder, self._scheduler_command()),
            ]
            self._processes += followers
            await asyncio.gather(*(process.start() for process in followers))
            if not self._baseline().saved:
                await access_policies.install(client)
                await self._baseline().save(self._etcd)
        except BaseException:
            await client.close()
            raise
        self.client = client

    def _baseline(self) -> Baseline:
        return Baseline(self.folder / "baseline.json")

    async def _until_healthy(self, client: Client) -> None:
        deadline = asyncio.get_running_loop().time() + _READY_SECONDS
        while not await client.healthy():
            ended = next((process for process in self._processes if not process.running), None)
            if ended is not None:
                raise KubeError("Unreachable", f"the control plane does not start: {ended.name} ended. {ended.last_lines(3)}")
            if asyncio.get_running_loop().time() > deadline:
                raise KubeError("Unreachable", f"the control plane is not ready after {_READY_SECONDS:.0f} s. {self.last_lines()}")
            await asyncio.sleep(_POLL_SECONDS)

    def _write_configuration(self) -> None:
        for component in ("controller-manager", "scheduler"):
            user = {"client-certificate": str(self._pki.certificate(component)), "client-key": str(self._pki.key(component))}
            server = {"server": f"https://127.0.0.1:{self.port}", "certificate-authority": str(self._pki.certificate("ca"))}
            self._write(f"{component}.kubeconfig", _kubeconfig(server, user))
        self._write("sign-in.kubeconfig", _kubeconfig({"server": self._outside.sign_in_url}, {}))
        transport = {"uds": {"udsName": str(self._outside.egress_socket)}}
        selection = {"name": "cluster", "connection": {"proxyProtocol": "HTTPConnect", "transport": transport}}
        self._write(
            "egress.json",
            {"apiVersion": "apiserver.k8s.io/v1beta1", "kind": "EgressSelectorConfiguration", "egressSelections": [selection]},
        )

    def _write(self, name: str, content: object) -> None:
        (self.folder / name).write_text(json.dumps(content))

    def _etcd_command(self, port: int, peer_port: int) -> list[str]:
        client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer_port}"
        flags = {
            "data-dir": self.folder / "etcd",
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"default={peer}",
            # safe against killed processes, not against power loss: a sandbox can be made anew
            "unsafe-no-fsync": "true",
            "log-level": "error",
            "auto-compaction-mode": "revision",
            "auto-compaction-retention": "10000",
            "snapshot-count": "10000",
        }
        return _command("etcd", flags)

    def _apiserver_command(self, etcd_port: int) -> list[str]:
        pki = self._pki
        flags = {
            "etcd-servers": f"http://127.0.0.1:{etcd_port}",
            "secure-port": self.port,
            "bind-address": "127.0.0.1",
            "tls-cert-file": pki.certificate("server"),
            "tls-private-key-file": pki.key("server"),
            "client-ca-file": pki.certificate("ca"),
            "service-account-issuer": self._issuer,
            "service-account-key-file": pki.key("service-account"),
            "service-account-signing-key-file": pki.key("service-account"),
            "api-audiences": "https://kubernetes.default.svc,sts.amazonaws.com",
            "authorization-mode": "Node,RBAC",
            "service-cluster-ip-range": "172.20.0.0/16",
            "allow-privileged": "true",
            "authentication-token-webhook-config-file": self.folder / "sign-in.kubeconfig",
            "authentication-token-webhook-version": "v1",
            "authentication-token-webhook-cache-ttl": "2s",
            "egress-selector-config-file": self.folder / "egress.json",
            "kubelet-client-certificate": pki.certificate("admin"),
            "kubelet-client-key": pki.key("admin"),
            "kubelet-preferred-address-types": "InternalIP,Hostname",
            "enable-aggregator-routing": "true",
            "requestheader-client-ca-file": pki.certificate("front-proxy-ca"),
            "requestheader-allowed-names": "front-proxy-client",
            "requestheader-username-headers": "X-Remote-User",
            "requestheader-group-headers": "X-Remote-Group",
            "requestheader-extra-headers-prefix": "X-Remote-Extra-",
            "proxy-client-cert-file": pki.certificate("front-proxy"),
            "proxy-client-key-file": pki.key("front-proxy"),
        }
        return _command("kube-apiserver", flags)

    def _controller_manager_command(self) -> list[str]:
        flags = {
            "kubeconfig": self.folder / "controller-manager.kubeconfig",
            "service-account-private-key-file": self._pki.key("service-account"),
            "root-ca-file": self._pki.certificate("ca"),
            "use-service-account-credentials": "true",
            "leader-elect": "false",
            "secure-port": "0",
            "controllers": "*,-nodeipam",
            "authentication-skip-lookup": "true",
            # the default of 20 requests a second makes a Deployment of 1,000 take a minute
            "kube-api-qps": "300",
            "kube-api-burst": "500",
            "node-monitor-grace-period": f"{NODE_GRACE_SECONDS}s",
            "node-monitor-period": "2s",
        }
        return _command("kube-controller-manager", flags)

    def _scheduler_command(self) -> list[str]:
        flags = {
            "kubeconfig": self.folder / "scheduler.kubeconfig",
            "leader-elect": "false",
            "secure-port": "0",
            "authentication-skip-lookup": "true",
            "kube-api-qps": "300",
            "kube-api-burst": "500",
        }
        return _command("kube-scheduler", flags)


def _command(component: str, flags: dict[str, object]) -> list[str]:
    return [str(binary.path()), component, *(f"--{name}={value}" for name, value in flags.items())]


def _kubeconfig(cluster: dict[str, str], user: dict[str, str]) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "sandbox",
        "clusters": [{"name": "sandbox", "cluster": cluster}],
        "users": [{"name": "sandbox", "user": user}],
        "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": "sandbox"}}],
    }
