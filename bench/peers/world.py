"""The cluster that all are asked about: made by the product in the sandbox, with pods that run or do not, and a node with a fault."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3

from instantstart.up import demo
from instantstart.up.api import Api
from instantstart.up.preflight import free_port
from instantstart.up.stack import Choices, Stack

SPEED = 240.0
PATIENCE = 300.0
NAMESPACE = "bench"
GPU = "nvidia.com/gpu"
FAULT = "XidHardwareFailure"
REASONS = ("CrashLoopBackOff", "ImagePullBackOff", "OOMKilled", "Unschedulable")
EACH = 5
"""Pods that are not well for each of the reasons."""
QUOTAS = ("ml.g5.8xlarge for cluster usage",)
ROOM = 36
"""Pods of people's that a node has room for beside those of the cluster itself."""


@dataclass(frozen=True)
class Facts:
    """What a good answer has in it. pods: of people's. unwell: their names. node: its instance id. gpu_pods, gpu_nodes: names."""

    pods: int
    unwell: tuple[str, ...]
    node: str
    node_name: str
    fault: str
    free_gpus: int
    gpu_pods: tuple[str, ...]
    gpu_nodes: tuple[str, ...]


@dataclass
class World:
    """secret: of an agent's token. environment: of clients: credentials, endpoint, PATH with the project's tools, KUBECONFIG."""

    stack: Stack
    api: Api
    secret: str
    environment: dict[str, str]

    def sandbox(self, path: str, body: dict[str, Any]) -> Any:
        return self.stack.http.request("POST", f"{self.stack.endpoint}/_sandbox/{path}", json=body).json()

    def run(self, *argv: str, stdin: str = "") -> str:
        done = subprocess.run(argv, env=self.environment, input=stdin, capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode:
            raise RuntimeError(f"{argv[0]} {argv[1]}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def sign_in(self) -> None:
        """A kubeconfig with a token that is good for a quarter of an hour: aws need not be started for each call."""
        self.run("aws", "eks", "update-kubeconfig", "--name", demo.NAME)
        token = json.loads(self.run("aws", "eks", "get-token", "--cluster-name", demo.NAME))["status"]["token"]
        config = json.loads(self.run("kubectl", "config", "view", "--raw", "-o", "json"))
        config["users"] = [{**user, "user": {"token": token}} for user in config["users"]]
        Path(self.environment["KUBECONFIG"]).write_text(json.dumps(config))

    def items(self, kind: str, *more: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.run("kubectl", "get", kind, "-o", "json", *more))["items"]
        return found

    def until(self, what: str, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not within {PATIENCE:.0f} s: {what}")
            self.stack.tend()
            time.sleep(0.5)


@contextmanager
def stand(folder: Path) -> Iterator[World]:
    """The product and the sandbox, with the cluster `demo`, while the context lasts."""
    stack = Stack(Choices(free_port(0, ""), free_port(0, ""), folder, SPEED), http=urllib3.PoolManager(retries=False, timeout=60))
    try:
        os.environ.pop("DATABASE_URL", None)
        stack.start_sandbox()
        stack.manage("migrate", "--verbosity", "0")
        account = json.loads(stack.manage("ensure_admin", "--json"))
        stack.start_product()
        api = Api(stack.http, stack.url, account["token"])
        made = api.call("POST", "/tokens/", {"name": "bench", "agent": True}).body
        exports = [word for line in stack.manage("sandbox", "env").splitlines() for word in shlex.split(line)[1:] if "=" in word]
        told = dict(word.split("=", 1) for word in exports)
        path = told.get("PATH", "").replace("$PATH", os.environ["PATH"])
        environment = {**stack.environment, "PATH": path, "KUBECONFIG": str(folder / "kubeconfig")}
        world = World(stack, api, made["token"], environment)
        _more_room(world)  # before the product reads them: it keeps what it has read for some minutes
        operation = demo.create(api)
        world.until("the cluster is made", lambda: api.get(f"/operations/{operation}/")["state"] in demo.DONE)
        world.sign_in()
        world.run("kubectl", "create", "namespace", NAMESPACE)
        yield world
    finally:
        stack.stop()


def _more_room(world: World) -> None:
    """Quotas for as many nodes as 1,000 pods need."""
    for name in QUOTAS:
        chosen = ("--service-code", "sagemaker", "--query", f"Quotas[?QuotaName=='{name}'].QuotaCode", "--output", "text")
        code = world.run("aws", "service-quotas", "list-service-quotas", *chosen).strip()
        place = ("--service-code", "sagemaker", "--quota-code", code)
        world.run("aws", "service-quotas", "request-service-quota-increase", *place, "--desired-value", "64")

        def granted(place: tuple[str, ...] = place) -> bool:
            world.sandbox("clock", {"fast_forward": "settled"})
            found = json.loads(world.run("aws", "service-quotas", "get-service-quota", *place))
            return bool(found["Quota"]["Value"] >= 64)

        world.until(f"the quota {name} is raised", granted)


def fill(world: World, pods: int) -> Facts:
    """So many pods of people's, the unwell ones among them, on as many nodes as they need; one node has a fault. The clock stands still."""
    world.sandbox("clock", {"resume": True, "speed": SPEED})
    world.sign_in()
    nodes = -(-pods // ROOM) + 1
    answer = world.api.call("PATCH", f"/clusters/{demo.NAME}/groups/workers/", {"count": nodes}, **{"Idempotency-Key": f"bench-{pods}"})
    if answer.status not in (200, 202):
        raise RuntimeError(f"the group can't be scaled to {nodes}: {answer.body}")
    world.until(f"{nodes} nodes are ready", lambda: sum(_ready(one) for one in world.items("nodes")) >= nodes)
    world.sandbox("clock", {"speed": 1})  # pods that end and are started again do so at the speed of real ones
    for number, reason in enumerate(REASONS):
        world.run("kubectl", "apply", "-f", "-", stdin=json.dumps(_ill(f"ill-{number}", reason)))
    users = nodes // 2
    running = pods - len(REASONS) * EACH
    world.run("kubectl", "apply", "-f", "-", stdin=json.dumps(_deployment("gpus", users, gpus=1)))
    for number in range(10):
        share = (running - users) // 10 + (1 if number < (running - users) % 10 else 0)
        world.run("kubectl", "apply", "-f", "-", stdin=json.dumps(_deployment(f"web-{number}", share)))

    def there() -> bool:
        found = world.items("pods", "-n", NAMESPACE)
        return len(found) == pods and sum(_ready(one) for one in found) >= running and all(_told(one) for one in found if _ill_one(one))

    world.until(f"{pods} pods are as they should be", there)
    world.sandbox("clock", {"pause": True})
    world.sign_in()
    node = _break(world)
    return _facts(world, pods, node)


def _break(world: World) -> str:
    """The instance id of a node on which health monitoring has found a fault; recovery never comes, for the clock stands still."""
    nodes = f"/clusters/{demo.NAME}/nodes/"
    known = [one for one in demo.listed(world.api, f"{nodes}?limit=200") if one["health"] not in ("", "Schedulable")]
    if known:
        return str(known[0]["key"])
    key = str(demo.listed(world.api, nodes)[0]["key"])
    world.sandbox("faults", {"scenario": "node_failure", "instance_id": key, "reason": FAULT, "count": 1})
    for _ in range(40):
        world.sandbox("clock", {"fast_forward": 15})
        item = next(one for one in world.items("nodes") if one["metadata"]["name"].endswith(key))
        if FAULT in json.dumps(item["metadata"]):
            break
    world.until("the product has seen the fault", lambda: world.api.get(f"{nodes}{key}/")["health"] not in ("", "Schedulable"))
    return key


def _facts(world: World, pods: int, node: str) -> Facts:
    """Counted from what Kubernetes itself says."""
    nodes, found = world.items("nodes"), world.items("pods", "-A")
    used: dict[str, int] = {}
    for one in found:
        if one["status"].get("phase") == "Running":
            used[one["spec"]["nodeName"]] = used.get(one["spec"]["nodeName"], 0) + _gpus(one)
    free = sum(
        int(one["status"]["allocatable"].get(GPU, 0)) - used.get(one["metadata"]["name"], 0)
        for one in nodes
        if _ready(one) and not one["spec"].get("unschedulable") and not one["metadata"]["name"].endswith(node)
    )
    return Facts(
        pods,
        tuple(one["metadata"]["name"] for one in found if _ill_one(one)),
        node,
        next(one["metadata"]["name"] for one in nodes if one["metadata"]["name"].endswith(node)),
        FAULT,
        free,
        tuple(one["metadata"]["name"] for one in found if _gpus(one) and not _ill_one(one)),
        tuple(one["metadata"]["name"] for one in nodes if int(one["status"]["allocatable"].get(GPU, 0))),
    )


def _ready(item: dict[str, Any]) -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in item.get("status", {}).get("conditions", ()))


def _ill_one(item: dict[str, Any]) -> bool:
    return bool(item["metadata"]["name"].startswith("ill-"))


def _told(item: dict[str, Any]) -> bool:
    """Whether Kubernetes says by now what is wrong with it."""
    text = json.dumps(item["status"])
    return any(reason in text for reason in REASONS)


def _gpus(item: dict[str, Any]) -> int:
    return sum(int(one.get("resources", {}).get("limits", {}).get(GPU, 0)) for one in item["spec"]["containers"])


def _deployment(name: str, replicas: int, *, gpus: int = 0, **annotations: str) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "main", "image": f"registry.example/{name}:1"}
    if gpus:
        container["resources"] = {"limits": {GPU: str(gpus)}}
    labels = {"app": name}
    template = {"metadata": {"labels": labels, "annotations": annotations}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }


def _ill(name: str, reason: str) -> dict[str, Any]:
    if reason == "Unschedulable":
        return _deployment(name, EACH, gpus=99)
    return _deployment(name, EACH, **{"sandbox.instantstart.dev/fault": reason})
