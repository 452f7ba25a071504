"""Cluster events (Continuous provisioning only): kept as bookkeeping `_sagemaker.event`, key cluster id/event id."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sandbox.aws.registry import operation
from sandbox.aws.sagemaker.cluster import find
from sandbox.aws.sagemaker.errors import not_found

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "_sagemaker.event"
_KEPT = 500  # events of one cluster


def write(
    context: Context,
    cluster: dict[str, Any],
    description: str,
    *,
    level: str = "Info",
    group: str = "",
    node: dict[str, Any] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Add an event about the cluster, one of its groups, or a node; nothing for clusters without Continuous provisioning."""
    if not cluster["continuous"]:
        return
    resource = "Instance" if node else "InstanceGroup" if group else "Cluster"
    event: dict[str, Any] = {
        "EventId": str(uuid.uuid4()),
        "ClusterArn": cluster["arn"],
        "ClusterName": cluster["name"],
        "ResourceType": resource,
        "EventTime": context.timestamp,
        "Description": description,
        "EventLevel": level,
        "_metadata": metadata or {},
        "_logical_id": node["logical_id"] if node else "",
    }
    if node or group:
        event["InstanceGroupName"] = node["group"] if node else group
    if node and node["instance_id"]:
        event["InstanceId"] = node["instance_id"]
    context.world.store.put(KIND, context.scope, f"{cluster['id']}/{event['EventId']}", event)
    keys = [key for key in context.world.store.keys(KIND, context.scope) if key.startswith(f"{cluster['id']}/")]
    for key in keys[:-_KEPT]:
        context.world.store.delete(KIND, context.scope, key)


def forget(context: Context, cluster: dict[str, Any]) -> None:
    for key in context.world.store.keys(KIND, context.scope):
        if key.startswith(f"{cluster['id']}/"):
            context.world.store.delete(KIND, context.scope, key)


def _view(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if not name.startswith("_")}


def _seconds(moment: Any) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else float(moment)


@operation("sagemaker", "ListClusterEvents")
def list_cluster_events(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    found = []
    for key, event in context.world.store.items(KIND, context.scope):
        if not key.startswith(f"{cluster['id']}/"):
            continue
        if params.get("InstanceGroupName") not in (None, event.get("InstanceGroupName")):
            continue
        if params.get("NodeId") not in (None, event.get("InstanceId"), event["_logical_id"]):
            continue
        if params.get("ResourceType") not in (None, event["ResourceType"]) or params.get("OperationId"):
            continue
        if params.get("EventTimeAfter") is not None and event["EventTime"] < _seconds(params["EventTimeAfter"]):
            continue
        if params.get("EventTimeBefore") is not None and event["EventTime"] > _seconds(params["EventTimeBefore"]):
            continue
        found.append(_view(event))
    found.sort(key=lambda event: event["EventTime"])
    if params.get("SortOrder", "Descending") == "Descending":
        found.reverse()
    return {"Events": found}


@operation("sagemaker", "DescribeClusterEvent")
def describe_cluster_event(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    event = context.world.store.get(KIND, context.scope, f"{cluster['id']}/{params['EventId']}")
    if event is None:
        raise not_found(f"Event {params['EventId']} of cluster {cluster['name']} could not be found.")
    details = _view(event)
    if event["_metadata"]:
        details["EventDetails"] = {"EventMetadata": event["_metadata"]}
    return {"EventDetails": details}
