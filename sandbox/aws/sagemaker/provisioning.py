"""Brings the nodes of each group to its target count: asks for those that are missing, shuts down those that are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.sagemaker import events, node_life
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.group import instance_types
from sandbox.spread import spread

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def reconcile(context: Context, cluster: dict[str, Any]) -> None:
    present = nodes.of_cluster(context, cluster)
    for group in cluster["groups"]:
        own = [node for node in present if node["group"] == group["name"] and node["status"] != "ShuttingDown"]
        target = 0 if group["status"] == "Deleting" else group["target"]
        for _ in range(target - len(own)):
            ask(context, cluster, group)
        # the youngest go first, those without an instance before all others
        surplus = sorted(own, key=lambda node: (node["instance_id"] != "", -node["launched_at"]))[: max(0, len(own) - target)]
        for node in surplus:
            node_life.shut_down(context, cluster, node)
        if target != len(own):
            scaling = {"InstanceCount": len(own), "TargetCount": target, "MinCount": group["minimum"]}
            events.write(
                context,
                cluster,
                f"Instance group {group['name']} is scaling from {len(own)} to {target} instances.",
                group=group["name"],
                metadata={"InstanceGroupScaling": scaling},
            )


def ask(
    context: Context, cluster: dict[str, Any], group: dict[str, Any], instance_type: str = "", zones: list[str] | None = None
) -> dict[str, Any]:
    """A new node of the group, Pending until an instance is launched for it."""
    node = nodes.make(context, cluster, group, instance_type or instance_types(group["spec"])[0], zones)
    nodes.save(context, node)
    node_life.plan(context, node, "sagemaker.node.launch", spread(node["logical_id"], 10, 40))
    return node
