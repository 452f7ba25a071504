"""What is in the cluster at one moment, as far as its nodes' number depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.kube.controllers.karpenter import pods
from sandbox.kube.controllers.karpenter.amounts import Amounts, less, numbers, total
from sandbox.kube.controllers.karpenter.names import CORE_API, NODE_CLAIM, NODE_CLASS, NODE_POOL, PROVIDER_API
from sandbox.kube.controllers.karpenter.objects import condition
from sandbox.kube.protocol import KubeClient, Manifest


@dataclass
class Snapshot:
    classes: dict[str, Manifest] = field(default_factory=dict)
    pools: dict[str, Manifest] = field(default_factory=dict)
    claims: list[Manifest] = field(default_factory=list)
    pods: list[Manifest] = field(default_factory=list)
    nodes: dict[str, Manifest] = field(default_factory=dict)
    daemons: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def waiting(self) -> list[Manifest]:
        return [pod for pod in self.pods if pods.waits(pod)]

    def on(self, node: str) -> list[Manifest]:
        return [pod for pod in self.pods if pod["spec"].get("nodeName") == node]

    def occupants(self, node: str) -> list[Manifest]:
        """The pods that keep the node from being idle."""
        return [pod for pod in self.on(node) if pods.occupies(pod)]

    def free(self, node: str) -> Amounts:
        """What is left of a node beside all that runs there."""
        taken = total(pods.requests(pod["spec"]) for pod in self.on(node) if pods.lives(pod))
        return less(numbers(self.nodes[node]["status"].get("allocatable")), taken)


async def read(client: KubeClient) -> Snapshot:
    classes = {one["metadata"]["name"]: one for one in await client.list(PROVIDER_API, NODE_CLASS)}
    pools = {one["metadata"]["name"]: one for one in await client.list(CORE_API, NODE_POOL)}
    claims = await client.list(CORE_API, NODE_CLAIM)
    if not (classes or pools or claims):
        return Snapshot()
    return Snapshot(
        classes,
        pools,
        claims,
        await client.list("v1", "Pod"),
        {one["metadata"]["name"]: one for one in await client.list("v1", "Node")},
        [one["spec"]["template"]["spec"] for one in await client.list("apps/v1", "DaemonSet")],
    )


def node_ready(node: Manifest) -> bool:
    return condition(node, "Ready") == "True"
