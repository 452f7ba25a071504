"""The statuses of node classes and pools: what they resolve to, and whether nodes can be had of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sandbox.aws.sagemaker.group import capacity_type, instance_types
from sandbox.kube.controllers.karpenter.amounts import Amounts, numbers, shown, total
from sandbox.kube.controllers.karpenter.names import NODE_CLASS, PROVIDER
from sandbox.kube.controllers.karpenter.objects import Condition, condition, conditions, ready
from sandbox.kube.controllers.karpenter.offerings import Subnet
from sandbox.kube.protocol import Manifest

Groups = Mapping[str, tuple[dict[str, Any], list[Subnet]]]
"""Instance groups by name: the row, and its subnets. Those that are being deleted are not among them."""


def class_status(item: Manifest, groups: Groups) -> dict[str, Any]:
    named = item["spec"]["instanceGroups"]
    lacking = [name for name in named if name not in groups]
    there = [(name, *groups[name]) for name in named if name in groups]
    several = [
        name for name, group, subnets in there if len({one["zone"] for one in subnets}) > 1 and len(instance_types(group["spec"])) == 1
    ]
    message = f"Instance groups not found in the HyperPod cluster: {', '.join(lacking)}" if lacking else ""
    parts: list[Condition] = [
        ("InstanceGroupReady", "False", "InstanceGroupNotFound", message)
        if lacking
        else ("InstanceGroupReady", "True", "InstanceGroupReady", ""),
        ("SubnetsReady", "False", "SubnetsInSeveralZones", f"Subnets in more than one Availability Zone: {', '.join(several)}")
        if several
        else ("SubnetsReady", "True", "SubnetsReady", ""),
    ]
    resolved = [
        {
            "name": name,
            "instanceTypes": instance_types(group["spec"]),
            "subnets": subnets,
            "capacities": {capacity_type(group["spec"]): {}},
        }
        for name, group, subnets in there
    ]
    return {"conditions": conditions(item, [*parts, ready(parts)]), "instanceGroups": resolved}


def pool_status(pool: Manifest, classes: Mapping[str, Manifest], claims: Iterable[Manifest]) -> dict[str, Any]:
    reference = pool["spec"]["template"]["spec"]["nodeClassRef"]
    ours = reference["group"] == PROVIDER and reference["kind"] == NODE_CLASS
    found = classes.get(reference["name"]) if ours else None
    if found is None:
        state: Condition = ("NodeClassReady", "False", "NodeClassNotFound", "NodeClass not found on cluster")
    elif condition(found, "Ready") != "True":
        state = ("NodeClassReady", "False", "NodeClassNotReady", f"{NODE_CLASS} {reference['name']} is not ready")
    else:
        state = ("NodeClassReady", "True", "NodeClassReady", "")
    parts: list[Condition] = [("ValidationSucceeded", "True", "ValidationSucceeded", ""), state]
    own = [*claims]
    return {
        "conditions": conditions(pool, [*parts, ready(parts)]),
        "nodes": len(own),
        "resources": shown(used(own)),
        **({"nodeClassObservedGeneration": found["metadata"]["generation"]} if found is not None else {}),
    }


def used(claims: Iterable[Manifest]) -> Amounts:
    """What the claims' nodes have, and how many there are: what a pool's limits are about."""
    found = total([*(numbers((claim.get("status") or {}).get("capacity")) for claim in claims)])
    return {**found, "nodes": float(len([*claims]))} if found else {}
