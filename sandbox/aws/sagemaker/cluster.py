"""The stored HyperPod cluster: kind `sagemaker.cluster`, scope account/region, key the name.

A row has: name, arn, id, status, failure_message, created_at, groups (list of group rows, see group.py), vpc_config, orchestrator,
eks_cluster_arn, node_recovery, tiered_storage, continuous, cluster_role, auto_scaling, tags, access_entries (those it made),
previous (groups to roll back to, while it is Updating).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.sagemaker import group as groups
from sandbox.aws.sagemaker import training_plan
from sandbox.aws.sagemaker.errors import not_found

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "sagemaker.cluster"
BUSY = ("Creating", "Updating", "SystemUpdating", "RollingBack")

Cluster = dict[str, Any]


def lookup(context: Context, name_or_arn: str) -> Cluster | None:
    if name_or_arn.startswith("arn:"):
        return next((cluster for cluster in context.world.store.list(KIND, context.scope) if cluster["arn"] == name_or_arn), None)
    return context.world.store.get(KIND, context.scope, name_or_arn)


def find(context: Context, name_or_arn: str) -> Cluster:
    """By name or ARN; else SageMaker's ResourceNotFound."""
    cluster = lookup(context, name_or_arn)
    if cluster is None:
        name = name_or_arn.rsplit("/", 1)[-1]
        raise not_found(f"Cluster with name {name} could not be found in account {context.account}.")
    return cluster


def save(context: Context, cluster: Cluster) -> None:
    context.world.store.put(KIND, context.scope, cluster["name"], cluster)


def clusters(context: Context) -> list[Cluster]:
    return context.world.store.list(KIND, context.scope)


def group_of(cluster: Cluster, name: str) -> dict[str, Any] | None:
    return next((group for group in cluster["groups"] if group["name"] == name), None)


def view(context: Context, cluster: Cluster, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """As DescribeCluster shows it."""
    shown: dict[str, Any] = {
        "ClusterArn": cluster["arn"],
        "ClusterName": cluster["name"],
        "ClusterStatus": cluster["status"],
        "CreationTime": cluster["created_at"],
        "InstanceGroups": [
            groups.view(group, [node for node in nodes if node["group"] == group["name"]]) | _plan_status(context, group)
            for group in cluster["groups"]
        ],
        "NodeRecovery": cluster["node_recovery"],
    }
    optional = {
        "FailureMessage": cluster["failure_message"],
        "VpcConfig": cluster["vpc_config"],
        "Orchestrator": cluster["orchestrator"],
        "TieredStorageConfig": cluster["tiered_storage"],
        "NodeProvisioningMode": "Continuous" if cluster["continuous"] else None,
        "ClusterRole": cluster["cluster_role"],
        "AutoScaling": _auto_scaling(cluster),
    }
    return {**shown, **{name: value for name, value in optional.items() if value}}


def _auto_scaling(cluster: Cluster) -> dict[str, Any] | None:
    scaling = cluster["auto_scaling"]
    return {name: value for name, value in scaling.items() if not name.startswith("_")} if scaling else None


def _plan_status(context: Context, group: dict[str, Any]) -> dict[str, str]:
    arn = group["spec"].get("TrainingPlanArn")
    plan = training_plan.lookup_arn(context, arn) if arn else None
    return {"TrainingPlanStatus": training_plan.status(plan, context.timestamp)} if plan else {}


def summary(cluster: Cluster) -> dict[str, Any]:
    """As ListClusters shows it."""
    plans = sorted({group["spec"]["TrainingPlanArn"] for group in cluster["groups"] if group["spec"].get("TrainingPlanArn")})
    shown = {
        "ClusterArn": cluster["arn"],
        "ClusterName": cluster["name"],
        "CreationTime": cluster["created_at"],
        "ClusterStatus": cluster["status"],
    }
    return {**shown, "TrainingPlanArns": plans} if plans else shown
