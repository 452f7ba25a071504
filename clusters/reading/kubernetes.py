"""What the cluster's Kubernetes says: nodes and workloads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from instantstart.kube.client import Kube

HEALTH_LABEL = "sagemaker.amazonaws.com/node-health-status"
GROUP_LABEL = "sagemaker.amazonaws.com/instance-group-name"
ZONE_LABEL = "topology.kubernetes.io/zone"
GPU_RESOURCES = ("nvidia.com/gpu", "aws.amazon.com/neuron")
EFA_RESOURCE = "vpc.amazonaws.com/efa"
HELM_RELEASE_ANNOTATION = "meta.helm.sh/release-name"


@dataclass(frozen=True)
class NodeReading:
    name: str
    ready: bool
    schedulable: bool
    health: str
    zone: str
    labels: Mapping[str, str]
    boot_id: str = ""
    """Another one after every start of the machine."""
    gpus: int = 0
    efa: int = 0
    """How many accelerators and EFA interfaces pods may have."""
    instance_id: str = ""
    """The last part of its provider id."""


@dataclass(frozen=True)
class Workload:
    """A Deployment or DaemonSet: how many pods it wants and how many are ready."""

    kind: str
    namespace: str
    name: str
    wanted: int
    ready: int
    release: str
    """Helm release that owns it, "" when none does."""


def condition(item: Mapping[str, Any], kind: str) -> bool:
    """Whether the condition of that type is True."""
    return any(one.get("type") == kind and one.get("status") == "True" for one in (item.get("status") or {}).get("conditions") or ())


def allocatable(node: Mapping[str, Any], *resources: str) -> int:
    """How much of these the node has for pods, in all."""
    offered = (node.get("status") or {}).get("allocatable") or {}
    return sum(int(offered.get(name, 0)) for name in resources)


def read_nodes(kube: Kube) -> list[NodeReading]:
    return [
        NodeReading(
            name=item["metadata"]["name"],
            ready=condition(item, "Ready"),
            schedulable=not (item.get("spec") or {}).get("unschedulable", False),
            health=(item["metadata"].get("labels") or {}).get(HEALTH_LABEL, ""),
            zone=(item["metadata"].get("labels") or {}).get(ZONE_LABEL, ""),
            labels=item["metadata"].get("labels") or {},
            boot_id=((item.get("status") or {}).get("nodeInfo") or {}).get("bootID", ""),
            gpus=allocatable(item, *GPU_RESOURCES),
            efa=allocatable(item, EFA_RESOURCE),
            instance_id=str((item.get("spec") or {}).get("providerID", "")).rpartition("/")[2],
        )
        for item in kube.list("v1", "Node")
    ]


def read_workloads(kube: Kube) -> list[Workload]:
    """Deployments and DaemonSets of all namespaces."""
    return [*_deployments(kube.list("apps/v1", "Deployment")), *_daemonsets(kube.list("apps/v1", "DaemonSet"))]


def _release(item: Mapping[str, Any]) -> str:
    return str((item["metadata"].get("annotations") or {}).get(HELM_RELEASE_ANNOTATION, ""))


def _deployments(items: Iterable[Mapping[str, Any]]) -> Iterable[Workload]:
    for item in items:
        status = item.get("status") or {}
        current = status.get("observedGeneration", 0) >= item["metadata"].get("generation", 0)
        yield Workload(
            "Deployment",
            item["metadata"]["namespace"],
            item["metadata"]["name"],
            wanted=item["spec"].get("replicas", 1),
            ready=status.get("readyReplicas", 0) if current else 0,
            release=_release(item),
        )


def _daemonsets(items: Iterable[Mapping[str, Any]]) -> Iterable[Workload]:
    for item in items:
        status = item.get("status") or {}
        current = status.get("observedGeneration", 0) >= item["metadata"].get("generation", 0)
        wanted = status.get("desiredNumberScheduled", 0)
        yield Workload(
            "DaemonSet",
            item["metadata"]["namespace"],
            item["metadata"]["name"],
            # The controller has not looked at it yet: one is wanted, as far as anybody knows.
            wanted=wanted if current else max(wanted, 1),
            ready=status.get("numberReady", 0) if current else 0,
            release=_release(item),
        )
