"""Nodes that could be had: each instance type of each group that a pool's node class names, as the node would look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.aws.sagemaker.group import capacity_type, instance_types
from sandbox.aws.sagemaker.instance_types import facts
from sandbox.kube.controllers.karpenter.amounts import Amounts, numbers
from sandbox.kube.controllers.karpenter.names import CAPACITY_LABEL, GROUP_LABEL, POOL_LABEL, TYPE_LABEL, ZONE_LABEL
from sandbox.kube.controllers.karpenter.pods import matches
from sandbox.kube.kubelet.node_object import allocatable
from sandbox.kube.protocol import Manifest

Subnet = dict[str, str]


@dataclass(frozen=True)
class Offering:
    """`taints` are those the node keeps; `template` is the pool's, for what it adds to the node."""

    pool: str
    group: str
    instance_type: str
    zone: str
    spot: bool
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]
    capacity: Mapping[str, str]
    flexible: bool

    @property
    def key(self) -> tuple[str, str, str]:
        return self.group, self.instance_type, self.zone

    @property
    def size(self) -> tuple[bool, float, float, float]:
        """Spot first, then the smallest: there is no price in the sandbox."""
        amounts = numbers(self.capacity)
        devices = amounts.get("nvidia.com/gpu", 0.0) + amounts.get("aws.amazon.com/neuron", 0.0)
        return not self.spot, devices, amounts["cpu"], amounts["memory"]

    @property
    def allocatable(self) -> Amounts:
        return numbers(allocatable(dict(self.capacity)))


def offerings(pool: Manifest, group: Mapping[str, Any], subnets: list[Subnet], cluster: str) -> Iterator[Offering]:
    """Of one instance group (its row in the sandbox), those that the pool's requirements let through."""
    spec, template = group["spec"], pool["spec"]["template"]
    kubernetes = spec.get("KubernetesConfig") or {}
    own = [{"key": one["Key"], "value": one.get("Value", ""), "effect": one["Effect"]} for one in kubernetes.get("Taints", [])]
    taints = (*own, *template["spec"].get("taints", []))
    types = instance_types(spec)
    for instance_type in types:
        for subnet in {one["zone"]: one for one in subnets}.values():
            spot = capacity_type(spec) == "Spot"
            labels = {
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                TYPE_LABEL: instance_type,
                ZONE_LABEL: subnet["zone"],
                "topology.kubernetes.io/region": subnet["zone"][:-1],
                "topology.k8s.aws/zone-id": subnet["zoneId"],
                "sagemaker.amazonaws.com/cluster-name": cluster,
                "sagemaker.amazonaws.com/compute-type": "hyperpod",
                "sagemaker.amazonaws.com/node-health-status": "Schedulable",
                GROUP_LABEL: group["name"],
                POOL_LABEL: pool["metadata"]["name"],
                CAPACITY_LABEL: "spot" if spot else "on-demand",
                **kubernetes.get("Labels", {}),
                **(template.get("metadata") or {}).get("labels", {}),
            }
            if all(_honoured(one, labels) for one in template["spec"]["requirements"]):
                yield Offering(
                    pool=pool["metadata"]["name"],
                    group=group["name"],
                    instance_type=instance_type,
                    zone=subnet["zone"],
                    spot=spot,
                    labels=labels,
                    taints=tuple(taints),
                    capacity=facts(instance_type).capacity,
                    flexible=len(types) > 1 or len({one["zone"] for one in subnets}) > 1,
                )


def _honoured(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """HyperPod's provider pays no attention to karpenter.sh/capacity-type (aws.md §3)."""
    return requirement["key"] == CAPACITY_LABEL or matches(requirement, labels)
