"""Which nodes a cluster should have: HyperPod's rows told as its kubelets tell them (labels and taints: aws.md §10)."""

from __future__ import annotations

from typing import Any

from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.instance_types import facts
from sandbox.kube.node import NodeSpec, Taint

_PREFIX = "sagemaker.amazonaws.com"
_FROM_PLUGINS = ("nvidia.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa")


def name_of(node: dict[str, Any]) -> str:
    return f"hyperpod-{node['instance_id']}"


def lost(node: dict[str, Any]) -> bool:
    """The machine does not answer: it reboots."""
    return bool(node["status"] == "Pending")


def spec_of(node: dict[str, Any], group: dict[str, Any], plugged: frozenset[str]) -> NodeSpec:
    """`plugged`: the extended resources that device plugins offer in the cluster by now."""
    kubernetes = group["spec"].get("KubernetesConfig") or {}
    labels = {
        **kubernetes.get("Labels", {}),
        f"{_PREFIX}/cluster-name": node["cluster"],
        f"{_PREFIX}/instance-group-name": node["group"],
        f"{_PREFIX}/compute-type": "hyperpod",
        f"{_PREFIX}/node-health-status": node["health"],
        "topology.k8s.aws/zone-id": node["zone_id"],
    }
    if node["deep_check"]:
        labels[f"{_PREFIX}/deep-health-check-status"] = node["deep_check"]
    labels |= {f"{_PREFIX}/{name}": value for name, value in node.get("fault", {}).items()}
    taints = [Taint(taint["Key"], taint.get("Value", ""), taint["Effect"]) for taint in kubernetes.get("Taints", [])]
    if node["health"] != nodes.SCHEDULABLE:
        taints.append(Taint(f"{_PREFIX}/node-health-status", "Unschedulable", "NoSchedule"))
    capacity = facts(node["instance_type"]).capacity
    return NodeSpec(
        name=name_of(node),
        instance_id=node["instance_id"],
        instance_type=node["instance_type"],
        zone=node["zone"],
        ip=node["ip"],
        labels=labels,
        taints=tuple(taints),
        capacity={name: amount for name, amount in capacity.items() if name not in _FROM_PLUGINS or name in plugged},
        provider_id=f"aws:///{node['zone_id']}/sagemaker/cluster/{name_of(node)}",
        subnet=node["cidr"],
        needs_cni=True,
    )
