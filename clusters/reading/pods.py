"""Pods, and which of them are people's work on a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clusters import names
from clusters.reading.kubernetes import GPU_RESOURCES
from instantstart.kube.client import Kube

OURS = frozenset({"kube-system", "kube-public", "kube-node-lease", "cert-manager", names.HYPERPOD_NAMESPACE, names.KUBERAY_NAMESPACE})
"""Namespaces of what a cluster itself runs."""
_ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True)
class PodReading:
    """node: the name of the node it is bound to, "" for none. mirror: a static pod of the kubelet, which nothing evicts."""

    namespace: str
    name: str
    node: str
    phase: str
    owner_kind: str
    owner: str
    labels: Mapping[str, str]
    gpus: int
    mirror: bool
    empty_dir: bool
    going: bool = False
    """Whether it is being deleted."""

    @property
    def ended(self) -> bool:
        return self.phase in _ENDED

    @property
    def stays(self) -> bool:
        """What a drain leaves where it is: pods of DaemonSets and the kubelet's own."""
        return self.mirror or self.owner_kind == "DaemonSet"

    @property
    def work(self) -> bool:
        """Whether it is somebody's work, and not part of what the cluster itself runs on every node."""
        return not self.ended and not self.stays and self.namespace not in OURS

    @property
    def title(self) -> str:
        """What it belongs to, as a person knows it: "Job default/train", "Deployment default/web", "Pod default/notebook"."""
        if self.owner_kind == "ReplicaSet":
            return f"Deployment {self.namespace}/{self.owner.rpartition('-')[0] or self.owner}"
        if self.owner_kind:
            return f"{self.owner_kind} {self.namespace}/{self.owner}"
        return f"Pod {self.namespace}/{self.name}"


def read_pods(kube: Kube) -> list[PodReading]:
    """All pods of all namespaces."""
    return [pod_of(item) for item in kube.list("v1", "Pod")]


def work_on(pods: Iterable[PodReading], nodes: Iterable[str]) -> list[PodReading]:
    """Somebody's work on these nodes (Kubernetes' names)."""
    wanted = {name for name in nodes if name}
    return [pod for pod in pods if pod.node in wanted and pod.work]


def titles(pods: Iterable[PodReading]) -> list[str]:
    """What the pods belong to, each once."""
    return list(dict.fromkeys(pod.title for pod in pods))


def pod_of(item: Mapping[str, Any]) -> PodReading:
    """A pod as Kubernetes gives it."""
    metadata, spec = item["metadata"], item.get("spec") or {}
    owners = metadata.get("ownerReferences") or ()
    owner = next((one for one in owners if one.get("controller")), None) or next(iter(owners), None) or {}
    return PodReading(
        namespace=metadata["namespace"],
        name=metadata["name"],
        node=spec.get("nodeName") or "",
        phase=(item.get("status") or {}).get("phase", ""),
        owner_kind=owner.get("kind", ""),
        owner=owner.get("name", ""),
        labels=metadata.get("labels") or {},
        gpus=sum(_gpus(container) for container in spec.get("containers") or ()),
        mirror="kubernetes.io/config.mirror" in (metadata.get("annotations") or {}),
        going=bool(metadata.get("deletionTimestamp")),
        empty_dir=any("emptyDir" in volume for volume in spec.get("volumes") or ()),
    )


def _gpus(container: Mapping[str, Any]) -> int:
    limits = (container.get("resources") or {}).get("limits") or {}
    return sum(int(limits.get(name, 0)) for name in GPU_RESOURCES)


@dataclass(frozen=True)
class BudgetReading:
    """A PodDisruptionBudget: how many of its pods may go now."""

    namespace: str
    name: str
    allowed: int
    match_labels: Mapping[str, str]
    match_expressions: tuple[Mapping[str, Any], ...]

    @property
    def title(self) -> str:
        return f"PodDisruptionBudget {self.namespace}/{self.name}"

    def covers(self, pod: PodReading) -> bool:
        """Whether the pod is one of those that it protects. An empty selector protects every pod of the namespace."""
        return (
            pod.namespace == self.namespace
            and all(pod.labels.get(key) == value for key, value in self.match_labels.items())
            and all(_holds(one, pod.labels) for one in self.match_expressions)
        )


def read_budgets(kube: Kube) -> list[BudgetReading]:
    """All disruption budgets of all namespaces."""
    return [_budget(item) for item in kube.list("policy/v1", "PodDisruptionBudget")]


def _budget(item: Mapping[str, Any]) -> BudgetReading:
    selector = (item.get("spec") or {}).get("selector") or {}
    return BudgetReading(
        item["metadata"]["namespace"],
        item["metadata"]["name"],
        int((item.get("status") or {}).get("disruptionsAllowed", 0)),
        selector.get("matchLabels") or {},
        tuple(selector.get("matchExpressions") or ()),
    )


def _holds(one: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = one["key"], one.get("values") or ()
    if one["operator"] == "In":
        return labels.get(key) in values
    if one["operator"] == "NotIn":
        return labels.get(key) not in values
    return (key in labels) is bool(one["operator"] == "Exists")
