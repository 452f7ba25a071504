"""A sandbox's Kubernetes side for tests, its event loop in a thread: one control plane for the whole session, wiped between tests.

Loaded as a plugin by the root conftest.py, so that every test of the session shares it.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import subprocess
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from botocore.credentials import Credentials
from botocore.hooks import HierarchicalEmitter
from botocore.model import ServiceId
from botocore.signers import RequestSigner

from sandbox.identity import AccessKey
from sandbox.kube import backend as backend_module
from sandbox.kube import binary
from sandbox.kube.access_policies import ARN_PREFIX
from sandbox.kube.node import NodeSpec
from sandbox.world import World

T = TypeVar("T")

ACCOUNT, REGION = "123456789012", "us-west-2"
SCOPE = f"{ACCOUNT}/{REGION}"
TOOLS = Path.home() / ".cache/instantstart/tools/kubectl-helm-2.0.1"
_names = itertools.count(1)


class Rig:
    """A world and its backend, alive; `run` calls into their loop from the test's thread."""

    def __init__(self, state_dir: Path, settings: backend_module.KubeSettings | None = None) -> None:
        self.state_dir = state_dir
        self._settings = settings
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="sandbox", daemon=True)
        self._thread.start()
        self.world, self.backend = self.run(self._start())

    def run(self, coroutine: Coroutine[Any, Any, T], timeout: float = 90.0) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout)

    def call(self, function: Callable[[], T]) -> T:
        async def inner() -> T:
            return function()

        return self.run(inner())

    def close(self) -> None:
        self.run(self.backend.stop())
        self.call(self.world.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> tuple[World, backend_module.Backend]:
        world = World(self.state_dir, speed=60.0)
        made = await backend_module.create(world, self._settings)
        await made.start()
        return world, made


class ClusterUnderTest:
    """One EKS cluster of the rig: only its reservation and access entries, no AWS around it."""

    def __init__(self, rig: Rig, name: str, folder: Path) -> None:
        self.rig = rig
        self.name = name
        self.key = f"{SCOPE}/{name}"
        self.folder = folder
        self.cold = False  # leave it to the first connection to start the control plane
        self.endpoint = rig.call(lambda: rig.backend.reserve(self.key))

    def run(self, coroutine: Coroutine[Any, Any, T], timeout: float = 90.0) -> T:
        return self.rig.run(coroutine, timeout)

    @property
    def client(self) -> Any:
        return self.run(self.rig.backend.client(self.key))

    def give_access(self, principal_arn: str, *policies: str, namespaces: tuple[str, ...] = (), groups: tuple[str, ...] = ()) -> None:
        """An access entry, as EKS's API would store it."""
        scope = {"type": "namespace", "namespaces": [*namespaces]} if namespaces else {"type": "cluster", "namespaces": []}
        entry = {
            "clusterName": self.name,
            "principalArn": principal_arn,
            "kubernetesGroups": [*groups],
            "username": "",
            "type": "STANDARD",
            "policies": [{"policyArn": f"{ARN_PREFIX}{policy}", "accessScope": scope} for policy in policies],
        }
        self.rig.call(lambda: self.rig.world.store.put("eks.access-entry", SCOPE, f"{self.name}/{principal_arn}", entry))

    def take_access(self, principal_arn: str) -> None:
        self.rig.call(lambda: self.rig.world.store.delete("eks.access-entry", SCOPE, f"{self.name}/{principal_arn}"))

    def add_nodes(self, count: int, *, start: int = 0, **more: Any) -> list[str]:
        specs = [node_spec(index, **more) for index in range(start, start + count)]

        async def add() -> None:
            for spec in specs:
                await self.rig.backend.kubelet.ensure_node(self.key, spec)

        self.run(add())
        return [spec.name for spec in specs]

    def kubeconfig(self, bearer: str, name: str = "kubeconfig") -> Path:
        path = self.folder / name
        authority = base64.b64encode(self.endpoint.ca_pem.encode()).decode()
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": self.endpoint.endpoint, "certificate-authority-data": authority}}],
            "users": [{"name": "test", "user": {"token": bearer}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        }
        path.write_text(json.dumps(content))
        return path

    def admin_kubeconfig(self) -> Path:
        path = self.folder / "kubeconfig"
        return path if path.exists() else self.kubeconfig(token(self.name))

    def command(self, program: str, *arguments: str, **options: Any) -> list[str]:
        return [str(TOOLS / program), "--kubeconfig", str(options.pop("kubeconfig", None) or self.admin_kubeconfig()), *arguments]

    def environment(self) -> dict[str, str]:
        """A home of its own: kubectl caches discovery by host and port."""
        return {"HOME": str(self.folder), "PATH": "/usr/bin:/bin"}

    def tool(
        self, program: str, *arguments: str, kubeconfig: Path | None = None, stdin: str = "", timeout: float = 60.0
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl or helm to its end. The control plane is started first: on a busy machine that outlasts a client's patience."""
        if not self.cold:
            self.run(self.rig.backend.client(self.key))
        return subprocess.run(
            self.command(program, *arguments, kubeconfig=kubeconfig),
            env=self.environment(),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def kubectl(self, *arguments: str, stdin: str = "", kubeconfig: Path | None = None, timeout: float = 60.0) -> str:
        """Standard output of a kubectl that must succeed."""
        done = self.tool("kubectl", *arguments, stdin=stdin, kubeconfig=kubeconfig, timeout=timeout)
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def helm(self, *arguments: str, timeout: float = 120.0) -> str:
        done = self.tool("helm", *arguments, timeout=timeout)
        assert done.returncode == 0, f"helm {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def until(self, condition: Callable[[], T], timeout: float = 90.0, what: str = "") -> T:
        return until(condition, timeout, what)

    def get(self, kind: str, name: str = "", *, namespace: str = "default") -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.kubectl("get", kind, *([name] if name else []), "-n", namespace, "-o", "json"))
        return answer


def until(condition: Callable[[], T], timeout: float = 90.0, what: str = "") -> T:
    """The first true value of `condition`; other people's processes have to get there, so it is asked again and again."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {timeout} s: {what or condition}"
        time.sleep(0.1)


def node_spec(index: int, **more: Any) -> NodeSpec:
    values: dict[str, Any] = {
        "name": f"hyperpod-i-{index:017x}",
        "instance_id": f"i-{index:017x}",
        "instance_type": "ml.p5.48xlarge",
        "zone": "us-west-2a",
        "ip": f"10.1.{64 + index // 200}.{index % 200 + 10}",
        "subnet": "10.1.64.0/20",
        "labels": {"sagemaker.amazonaws.com/cluster-name": "demo"},
        "capacity": {"cpu": "192", "memory": "2048Gi", "pods": "250", "nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"},
    }
    return NodeSpec(**{**values, **more})


def token(
    cluster_name: str,
    key: AccessKey | None = None,
    *,
    access_key: str = "AKIASANDBOX0000000",
    secret_key: str = "sandbox-secret-key",  # noqa: S107 - the documented key of a simulator
    host: str = "http://127.0.0.1:4599",
) -> str:
    """What `aws eks get-token` makes, by the same signer."""
    credentials = Credentials(key.access_key, key.secret_key, key.session_token or None) if key else Credentials(access_key, secret_key)
    emitter = HierarchicalEmitter()  # the signer only holds a weak reference
    signer = RequestSigner(ServiceId("sts"), REGION, "sts", "v4", credentials, emitter)
    request = {
        "method": "GET",
        "url": f"{host}/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": cluster_name},
        "context": {},
    }
    url = signer.generate_presigned_url(request, region_name=REGION, expires_in=60, operation_name="")
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


@pytest.fixture(scope="session")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    assert binary.ready(), "the control plane's binary is not built: run `python -m sandbox.kube.build`"
    made = Rig(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.close()


@pytest.fixture
def cluster(rig: Rig, tmp_path: Path) -> Iterator[ClusterUnderTest]:
    """A new cluster in which the sandbox's user is cluster admin."""
    made = ClusterUnderTest(rig, f"test-{next(_names)}", tmp_path)
    made.give_access(rig.world.settings.user_arn, "AmazonEKSClusterAdminPolicy")
    yield made
    rig.call(lambda: rig.backend.release(made.key))
    rig.call(rig.world.faults.clear)
    rig.run(rig.backend.settled())
