"""CreateCluster, DescribeCluster, ListClusters, DeleteCluster."""

from __future__ import annotations

import secrets
import string
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sandbox.aws.registry import operation
from sandbox.aws.sagemaker import auto_scaling, cluster_checks, cluster_life, orchestrator, quotas
from sandbox.aws.sagemaker import group as groups
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.cluster import BUSY, clusters, find, lookup, save, summary, view
from sandbox.aws.sagemaker.errors import conflict, in_use, invalid

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_ALPHABET = string.ascii_lowercase + string.digits


@operation("sagemaker", "CreateCluster")
def create_cluster(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, specs = params["ClusterName"], params.get("InstanceGroups") or []
    if lookup(context, name) is not None:
        raise in_use(f"Resource already in use: a cluster with the name {name} already exists.")
    if params.get("RestrictedInstanceGroups"):
        raise invalid("RestrictedInstanceGroups are not simulated by the sandbox.")
    eks_arn = orchestrator.of(params.get("Orchestrator"))
    continuous = params.get("NodeProvisioningMode") == "Continuous"
    if not specs and not continuous:
        raise invalid("At least one instance group is required.")
    vpc_config = params.get("VpcConfig")
    if not vpc_config:
        raise invalid("VpcConfig is required when the orchestrator is EKS.")
    auto_scaling.check(context, params.get("AutoScaling"), continuous, params.get("ClusterRole"), params.get("NodeRecovery"))
    vpc_id = cluster_checks.check_network(context, vpc_config)
    orchestrator.check(context, eks_arn, vpc_id)
    cluster_checks.check_groups(context, specs, continuous=continuous, vpc_config=vpc_config)
    quotas.check(context, name, [(spec, spec["InstanceCount"]) for spec in specs])
    service_role = orchestrator.ensure_service_role(context)
    roles = [spec["ExecutionRole"] for spec in specs]
    identifier = "".join(secrets.choice(_ALPHABET) for _ in range(12))
    now = context.timestamp
    cluster = {
        "name": name,
        "arn": context.arn("sagemaker", f"cluster/{identifier}"),
        "id": identifier,
        "status": "Creating",
        "failure_message": "",
        "created_at": now,
        "groups": [groups.make(spec, now, "Creating") for spec in specs],
        "vpc_config": vpc_config,
        "orchestrator": params["Orchestrator"],
        "eks_cluster_arn": eks_arn,
        "node_recovery": params.get("NodeRecovery", "Automatic"),
        "tiered_storage": params.get("TieredStorageConfig"),
        "continuous": continuous,
        "cluster_role": params.get("ClusterRole", ""),
        "auto_scaling": None,
        "tags": params.get("Tags") or [],
        "access_entries": orchestrator.admit(context, orchestrator.cluster_name(eks_arn), roles),
        "service_role": service_role,
        "previous": None,
    }
    auto_scaling.change(context, cluster, params.get("AutoScaling"))
    save(context, cluster)
    cluster_life.begin(context, cluster)
    return {"ClusterArn": cluster["arn"]}


@operation("sagemaker", "DescribeCluster")
def describe_cluster(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    return view(context, cluster, nodes.of_cluster(context, cluster))


@operation("sagemaker", "ListClusters")
def list_clusters(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    contains, after, before = params.get("NameContains"), params.get("CreationTimeAfter"), params.get("CreationTimeBefore")
    shown = [summary(cluster) for cluster in clusters(context)]
    shown = [
        one
        for one in shown
        if (contains is None or contains.lower() in one["ClusterName"].lower())
        and (after is None or one["CreationTime"] >= _seconds(after))
        and (before is None or one["CreationTime"] <= _seconds(before))
        and (not params.get("TrainingPlanArn") or params["TrainingPlanArn"] in one.get("TrainingPlanArns", []))
    ]
    member = "ClusterName" if params.get("SortBy", "CREATION_TIME") == "NAME" else "CreationTime"
    shown.sort(key=lambda one: one[member], reverse=params.get("SortOrder", "Ascending") == "Descending")
    return {"ClusterSummaries": shown}


def _seconds(moment: Any) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else float(moment)


@operation("sagemaker", "DeleteCluster")
def delete_cluster(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    if cluster["status"] in BUSY:
        raise conflict(f"Cluster {cluster['name']} cannot be deleted while it is {cluster['status']}.")
    if cluster["status"] != "Deleting":
        cluster_life.begin_deletion(context, cluster)
    return {"ClusterArn": cluster["arn"]}
