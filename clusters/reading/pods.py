"""Pods, and which of them are people's work on a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clusters import names
from instantstart.kube.client import Kube

OURS = frozenset({"kube-system", "kube-public", "kube-node-lease", "cert-manager", names.HYPERPOD_NAMESPACE, names.KUBERAY_NAMESPACE})
"""Namespaces of what a cluster itself runs."""
GPU_RESOURCES = ("nvidia.com/gpu", "aws.amazon.com/neuron", "aws.amazon.com/neurondevice")
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
    return [_pod(item) for item in kube.list("v1", "Pod")]


def work_on(pods: Iterable[PodReading], nodes: Iterable[str]) -> list[PodReading]:
    """Somebody's work on these nodes (Kubernetes' names)."""
    wanted = {name for name in nodes if name}
    return [pod for pod in pods if pod.node in wanted and pod.work]


def titles(pods: Iterable[PodReading]) -> list[str]:
    """What the pods belong to, each once."""
    return list(dict.fromkeys(pod.title for pod in pods))


def _pod(item: Mapping[str, Any]) -> PodReading:
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
        empty_dir=any("emptyDir" in volume for volume in spec.get("volumes") or ()),
    )


def _gpus(container: Mapping[str, Any]) -> int:
    limits = (container.get("resources") or {}).get("limits") or {}
    return sum(int(limits.get(name, 0)) for name in GPU_RESOURCES)
