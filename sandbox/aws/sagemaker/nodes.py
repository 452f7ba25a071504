"""ListClusterNodes and DescribeClusterNode."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sandbox.aws.registry import operation
from sandbox.aws.sagemaker.cluster import find, group_of
from sandbox.aws.sagemaker.errors import invalid, not_found
from sandbox.aws.sagemaker.node import details, of_cluster, summary

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@operation("sagemaker", "ListClusterNodes")
def list_cluster_nodes(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    with_logical_ids = params.get("IncludeNodeLogicalIds", False)
    contains, after, before = params.get("InstanceGroupNameContains", ""), params.get("CreationTimeAfter"), params.get("CreationTimeBefore")
    shown = [
        summary(node, with_logical_ids)
        for node in of_cluster(context, cluster)
        if (node["instance_id"] or with_logical_ids)
        and contains in node["group"]
        and (after is None or node["launched_at"] >= _seconds(after))
        and (before is None or node["launched_at"] <= _seconds(before))
    ]
    member = "InstanceGroupName" if params.get("SortBy", "CREATION_TIME") == "NAME" else "LaunchTime"
    shown.sort(key=lambda one: one[member], reverse=params.get("SortOrder", "Ascending") == "Descending")
    return {"ClusterNodeSummaries": shown}


def _seconds(moment: Any) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else float(moment)


@operation("sagemaker", "DescribeClusterNode")
def describe_cluster_node(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    instance_id, logical_id = params.get("NodeId"), params.get("NodeLogicalId")
    if bool(instance_id) == bool(logical_id):
        raise invalid("Exactly one of NodeId and NodeLogicalId must be given.")
    for node in of_cluster(context, cluster):
        if (instance_id and node["instance_id"] == instance_id) or (logical_id and node["logical_id"] == logical_id):
            group = group_of(cluster, node["group"])
            if group is not None:
                return {"NodeDetails": details(node, group, cluster["continuous"])}
    raise not_found(f"Node {instance_id or logical_id} could not be found in cluster {cluster['name']}.")
