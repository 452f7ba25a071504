"""The questions, which calls of each server answer them, and what has to be in an answer.

A server is asked with the fewest calls of its own reading tools that bring the facts, as an agent would have to make them.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from mcp.client.client import Client

from agentapi.budget import compact
from bench.peers.servers import EKS, KUBERNETES, OURS, SAGEMAKER
from bench.peers.world import GPU, NAMESPACE, Facts

CLUSTER = "demo"


@dataclass
class Asked:
    """One question, as it is being asked. answers: texts and structured content, as the client gets them."""

    client: Client
    facts: Facts
    answers: list[str] = field(default_factory=list)
    calls: int = 0
    errors: list[str] = field(default_factory=list)

    async def call(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool(tool, arguments)
        text = "\n".join(part.text for part in result.content if part.type == "text")
        self.calls += 1
        self.answers.append(text)
        if result.structured_content is not None:
            self.answers.append(compact(result.structured_content))
        if result.is_error:
            self.errors.append(f"{tool}: {' '.join(text.split())[:120]}")
        return text

    @property
    def text(self) -> str:
        return "\n".join(self.answers)


Ask = Callable[[Asked], Awaitable[object]]


@dataclass(frozen=True)
class Way:
    """How one server is asked one question. more: arguments that it is started with for it. times: how often, where it takes long."""

    ask: Ask
    more: tuple[str, ...] = ()
    times: int | None = None


def _eks(operation: str, kind: str, name: str, namespace: str | None = None) -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {"operation": operation, "cluster_name": CLUSTER, "kind": kind, "api_version": "v1", "name": name, **place}


async def _eks_list(asked: Asked, kind: str, **more: str) -> list[str]:
    """Names: its lists tell names, labels and annotations, and no state."""
    text = await asked.call("list_k8s_resources", cluster_name=CLUSTER, kind=kind, api_version="v1", **more)
    return re.findall(r'"name": "([^"]+)"', text)


async def _eks_unwell(asked: Asked) -> None:
    """By phase for those that do not run; those that are started again and again by their warnings; then each for its reason."""
    names = await _eks_list(asked, "Pod", namespace=NAMESPACE, field_selector="status.phase!=Running,status.phase!=Succeeded")
    events = await _eks_list(asked, "Event", namespace=NAMESPACE, field_selector="type=Warning")
    for name in dict.fromkeys([*names, *(event.rpartition(".")[0] for event in events)]):
        await asked.call("manage_k8s_resource", **_eks("read", "Pod", name, NAMESPACE))


async def _eks_node(asked: Asked) -> None:
    await asked.call("manage_k8s_resource", **_eks("read", "Node", asked.facts.node_name))
    await asked.call("get_k8s_events", cluster_name=CLUSTER, kind="Node", name=asked.facts.node_name)


async def _eks_gpus(asked: Asked) -> None:
    """What each node has, and what each pod that runs asks for: told of one at a time."""
    for name in await _eks_list(asked, "Node"):
        await asked.call("manage_k8s_resource", **_eks("read", "Node", name))
    for name in await _eks_list(asked, "Pod", namespace=NAMESPACE, field_selector="status.phase=Running"):
        await asked.call("manage_k8s_resource", **_eks("read", "Pod", name, NAMESPACE))


async def _kubernetes_node(asked: Asked) -> None:
    await asked.call("resources_get", apiVersion="v1", kind="Node", name=asked.facts.node_name)
    await asked.call("events_list", fieldSelector=f"involvedObject.name={asked.facts.node_name}")


async def _kubernetes_gpus(asked: Asked) -> None:
    """Its tables tell no accelerators: both lists in full."""
    await asked.call("resources_list", apiVersion="v1", kind="Node")
    await asked.call("pods_list", fieldSelector="status.phase=Running")


async def _sagemaker_node(asked: Asked) -> None:
    await asked.call(
        "manage_hyperpod_cluster_nodes",
        operation="describe_node",
        cluster_name=CLUSTER,
        node_id=asked.facts.node,
        region_name="us-west-2",
    )


PODS, NODE, GPUS = "which pods are unhealthy", "what is wrong with this node", "which GPUs are free"
QUESTIONS: dict[str, dict[str, Way]] = {
    PODS: {
        OURS: Way(lambda asked: asked.call("diagnose_pods", cluster=CLUSTER)),
        EKS: Way(_eks_unwell),
        KUBERNETES: Way(lambda asked: asked.call("pods_list")),
    },
    NODE: {
        OURS: Way(lambda asked: asked.call("diagnose_node", cluster=CLUSTER, node=asked.facts.node)),
        EKS: Way(_eks_node),
        SAGEMAKER: Way(_sagemaker_node),
        KUBERNETES: Way(_kubernetes_node),
    },
    GPUS: {
        OURS: Way(lambda asked: asked.call("node_gpus", cluster=CLUSTER)),
        EKS: Way(_eks_gpus, times=1),
        KUBERNETES: Way(_kubernetes_gpus, more=("--list-output", "yaml"), times=3),
    },
}
"""Question → server → way. A server that has no way has no tool that tells the facts."""


def missing(question: str, server: str, text: str, facts: Facts) -> list[str]:
    """Facts that are not in the answer."""
    if question == PODS:
        return _absent(facts.unwell, text)
    if question == NODE:
        return _absent([facts.fault], text)
    if server == OURS:
        return [] if f'"free":{facts.free_gpus}' in text else [f"{facts.free_gpus} free"]
    return _absent([GPU, *facts.gpu_nodes, *facts.gpu_pods], text)  # the sum is left to the agent


def _absent(wanted: Iterable[str], text: str) -> list[str]:
    return [one for one in wanted if one not in text]
