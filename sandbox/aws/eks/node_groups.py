"""Managed node groups: none can be made yet (CreateNodegroup is not simulated and says so), so the list is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.eks.cluster import find
from sandbox.aws.eks.errors import not_found
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "eks.nodegroup"


def names(context: Context, cluster: str) -> list[str]:
    return [group["nodegroupName"] for group in context.world.store.list(KIND, context.scope) if group["clusterName"] == cluster]


@operation("eks", "ListNodegroups")
def list_nodegroups(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find(context, params["clusterName"])
    return {"nodegroups": names(context, params["clusterName"])}


@operation("eks", "DescribeNodegroup")
def describe_nodegroup(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find(context, params["clusterName"])
    name = params["nodegroupName"]
    raise not_found(f"No node group found for name: {name}.", clusterName=params["clusterName"], nodegroupName=name)


@operation("eks", "ListFargateProfiles")
def list_fargate_profiles(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find(context, params["clusterName"])
    return {"fargateProfileNames": []}
