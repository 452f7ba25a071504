"""Which nodes EKS node groups bring: their machines told as their kubelets tell them. Labels: EKS user guide, managed node groups."""

from __future__ import annotations

from typing import Any

from sandbox.aws.ec2.instance_types import INSTANCE_TYPES
from sandbox.kube.node import NodeSpec, Taint

_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_DEVICES = {"gpu": "nvidia.com/gpu", "neuron": "aws.amazon.com/neuron"}


def name_of(node: dict[str, Any]) -> str:
    return str(node["dns"])


def spec_of(node: dict[str, Any], group: dict[str, Any], plugged: frozenset[str]) -> NodeSpec:
    """`plugged`: the extended resources that device plugins offer in the cluster by now."""
    labels = {
        **group["labels"],
        "eks.amazonaws.com/nodegroup": group["nodegroupName"],
        "eks.amazonaws.com/capacityType": group["capacityType"],
        "k8s.io/cloud-provider-aws": group["nodegroupArn"].rpartition("/")[2].replace("-", ""),
        "topology.k8s.aws/zone-id": node["zone_id"],
    }
    if "launchTemplate" in group:
        labels["eks.amazonaws.com/sourceLaunchTemplateId"] = group["launchTemplate"]["id"]
        labels["eks.amazonaws.com/sourceLaunchTemplateVersion"] = group["launchTemplate"]["version"]
    taints = tuple(Taint(one["key"], one.get("value", ""), _EFFECTS[one["effect"]]) for one in group["taints"])
    return NodeSpec(
        name=name_of(node),
        instance_id=node["instance_id"],
        instance_type=node["instance_type"],
        zone=node["zone"],
        ip=node["ip"],
        labels=labels,
        taints=taints,
        capacity=_capacity(node["instance_type"], group, plugged),
        provider_id=f"aws:///{node['zone']}/{node['instance_id']}",
        subnet=node["cidr"],
        needs_cni=True,
    )


def _capacity(instance_type: str, group: dict[str, Any], plugged: frozenset[str]) -> dict[str, str]:
    one = INSTANCE_TYPES[instance_type]
    found = {"cpu": str(one.vcpus), "memory": f"{one.memory_gib}Gi", "pods": "29" if one.vcpus <= 2 else "58", "ephemeral-storage": "20Gi"}
    devices = _DEVICES.get(one.accelerator.kind, "") if one.accelerator is not None else ""
    if devices in plugged:
        found[devices] = str(one.accelerators)
    cards = ((group["_template"] or {}).get("data") or {}).get("NetworkInterfaces") or ()
    efa = sum(1 for card in cards if str(card.get("InterfaceType", "")).startswith("efa"))
    if efa and "vpc.amazonaws.com/efa" in plugged:
        found["vpc.amazonaws.com/efa"] = str(efa)
    return found
