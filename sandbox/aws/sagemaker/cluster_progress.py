"""Where a cluster and its groups stand after something happened to one of their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.sagemaker import cluster as clusters
from sandbox.aws.sagemaker import events
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.group import HERE

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def advance(context: Context, name: str) -> None:
    """Bring the statuses of a cluster and its groups in line with their nodes; groups that are deleted and empty go."""
    cluster = clusters.lookup(context, name)
    if cluster is None or cluster["status"] in ("Deleting", "Failed"):
        return
    own: dict[str, list[dict[str, Any]]] = {group["name"]: [] for group in cluster["groups"]}
    for node in nodes.of_cluster(context, cluster):
        own.setdefault(node["group"], []).append(node)
    cluster["groups"] = [group for group in cluster["groups"] if group["status"] != "Deleting" or own[group["name"]]]
    settled = all(_settled(group, own[group["name"]]) for group in cluster["groups"])
    if cluster["continuous"]:
        _advance_continuous(context, cluster, own)
    elif settled and cluster["status"] == "RollingBack":
        cluster["status"] = "InService" if cluster["previous"] is not None else "Failed"
        for group in cluster["groups"]:
            group["status"] = "InService" if cluster["previous"] is not None else "Failed"
        cluster["previous"] = None
    elif settled and cluster["status"] in ("Creating", "Updating"):
        cluster.update(status="InService", previous=None)
        for group in cluster["groups"]:
            group["status"] = "InService"
    clusters.save(context, cluster)


def _settled(group: dict[str, Any], own: list[dict[str, Any]]) -> bool:
    return len(own) == group["target"] and all(node["status"] == "Running" for node in own)


def _advance_continuous(context: Context, cluster: dict[str, Any], own: dict[str, list[dict[str, Any]]]) -> None:
    for group in cluster["groups"]:
        here = sum(node["status"] in HERE for node in own[group["name"]])
        if group["status"] in ("Creating", "Updating") and here >= group["minimum"]:
            group["status"] = "InService"
            if group["minimum"]:
                events.write(
                    context,
                    cluster,
                    f"Instance group {group['name']} reached its minimum of {group['minimum']} instances.",
                    group=group["name"],
                )
    if cluster["status"] in ("Creating", "Updating") and all(group["status"] in ("InService", "Deleting") for group in cluster["groups"]):
        cluster.update(status="InService", previous=None)
