"""The stored node group: kind `eks.nodegroup`, key cluster/name; members as DescribeNodegroup gives them.

Its machines are EC2 instances of the account; which of them belong to it, and whether they have joined, is bookkeeping
`_eks.nodegroup-node`, key cluster/group/instance: {cluster, group, arn, instance_id, instance_type, zone, zone_id, ip, cidr, launched,
joins_at, joined}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.eks.cluster import find as find_cluster
from sandbox.aws.eks.errors import not_found

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "eks.nodegroup"
NODE_KIND = "_eks.nodegroup-node"

NodeGroup = dict[str, Any]


def key(cluster: str, name: str) -> str:
    return f"{cluster}/{name}"


def lookup(context: Context, cluster: str, name: str) -> NodeGroup | None:
    return context.world.store.get(KIND, context.scope, key(cluster, name))


def find(context: Context, cluster: str, name: str) -> NodeGroup:
    """The group, or EKS's ResourceNotFoundException for it or its cluster."""
    find_cluster(context, cluster)
    group = lookup(context, cluster, name)
    if group is None:
        raise not_found(f"No node group found for name: {name}.", clusterName=cluster, nodegroupName=name)
    return group


def of_cluster(context: Context, cluster: str) -> list[NodeGroup]:
    return [group for group in context.world.store.list(KIND, context.scope) if group["clusterName"] == cluster]


def save(context: Context, group: NodeGroup) -> None:
    context.world.store.put(KIND, context.scope, key(group["clusterName"], group["nodegroupName"]), group)


def view(group: NodeGroup) -> NodeGroup:
    """What the API shows: without our own members."""
    return {name: value for name, value in group.items() if not name.startswith("_")}


def nodes(context: Context, group: NodeGroup) -> list[dict[str, Any]]:
    """Its machines, in the order in which they were launched."""
    return [node for node in context.world.store.list(NODE_KIND, context.scope) if node["arn"] == group["nodegroupArn"]]


def save_node(context: Context, node: dict[str, Any]) -> None:
    context.world.store.put(NODE_KIND, context.scope, f"{node['cluster']}/{node['group']}/{node['instance_id']}", node)


def forget_node(context: Context, node: dict[str, Any]) -> None:
    context.world.store.delete(NODE_KIND, context.scope, f"{node['cluster']}/{node['group']}/{node['instance_id']}")
