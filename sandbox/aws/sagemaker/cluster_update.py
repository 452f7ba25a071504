"""UpdateCluster (aws.md §1.2): groups that are left out stay as they are, a listed one is given whole."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from sandbox.aws.registry import operation
from sandbox.aws.sagemaker import auto_scaling, cluster_checks, cluster_life, cluster_progress, orchestrator, provisioning, quotas
from sandbox.aws.sagemaker import group as groups
from sandbox.aws.sagemaker.cluster import Cluster, find, group_of, save
from sandbox.aws.sagemaker.errors import conflict, invalid

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_FIXED = ("InstanceType", "InstanceRequirements", "OverrideVpcConfig", "CapacityRequirements", "TrainingPlanArn")


@operation("sagemaker", "UpdateCluster")
def update_cluster(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    if cluster["status"] != "InService":
        raise conflict(f"Cluster {cluster['name']} cannot be updated while it is {cluster['status']}.")
    specs, doomed = params.get("InstanceGroups") or [], params.get("InstanceGroupsToDelete") or []
    continuous = cluster["continuous"] or params.get("NodeProvisioningMode") == "Continuous"
    _check_doomed(cluster, specs, doomed)
    for spec in specs:
        _check_unchanged(cluster, spec)
    cluster_checks.check_groups(context, specs, continuous=continuous, vpc_config=cluster["vpc_config"])
    _update_settings(context, cluster, params, continuous)
    _check_quotas(context, cluster, specs, doomed)
    before = copy.deepcopy(cluster["groups"])
    _update_groups(context, cluster, specs, doomed)
    if specs or doomed:
        made = orchestrator.admit(context, orchestrator.cluster_name(cluster["eks_cluster_arn"]), [spec["ExecutionRole"] for spec in specs])
        cluster["access_entries"] = [*cluster["access_entries"], *made]
        cluster["previous"] = before
        if not continuous:
            cluster["status"] = "Updating"
    save(context, cluster)
    service = context.as_source("service")
    provisioning.reconcile(service, cluster)
    cluster_life.watch_minimums(service, cluster)
    cluster_progress.advance(service, cluster["name"])
    return {"ClusterArn": cluster["arn"]}


def _check_doomed(cluster: Cluster, specs: list[dict[str, Any]], doomed: list[str]) -> None:
    for name in doomed:
        if group_of(cluster, name) is None:
            raise invalid(f"Instance group {name} does not exist in cluster {cluster['name']}.")
        if any(spec["InstanceGroupName"] == name for spec in specs):
            raise invalid(f"Instance group {name} cannot be updated and deleted in one request.")


def _check_unchanged(cluster: Cluster, spec: dict[str, Any]) -> None:
    group = group_of(cluster, spec["InstanceGroupName"])
    if group is None:
        return
    if group["status"] == "Deleting":
        raise conflict(f"Instance group {group['name']} is being deleted.")
    for member in _FIXED:
        if member in spec and spec[member] != group["spec"].get(member):
            raise invalid(f"Instance group {group['name']}: {member} cannot be changed after creation.")


def _check_quotas(context: Context, cluster: Cluster, specs: list[dict[str, Any]], doomed: list[str]) -> None:
    listed = {spec["InstanceGroupName"] for spec in specs}
    kept = [(group["spec"], group["target"]) for group in cluster["groups"] if group["name"] not in listed | set(doomed)]
    quotas.check(context, cluster["name"], [*kept, *((spec, spec["InstanceCount"]) for spec in specs)])


def _update_settings(context: Context, cluster: Cluster, params: dict[str, Any], continuous: bool) -> None:
    if "Orchestrator" in params and orchestrator.of(params["Orchestrator"]) != cluster["eks_cluster_arn"]:
        raise invalid("The EKS cluster of a HyperPod cluster cannot be changed.")
    if params.get("ClusterRole") and params["ClusterRole"] != cluster["cluster_role"] and auto_scaling.is_on(cluster):
        raise invalid("ClusterRole cannot be changed while AutoScaling is enabled.")
    if params.get("NodeRecovery") == "None" and auto_scaling.is_on(cluster):
        raise invalid("NodeRecovery cannot be None while AutoScaling is enabled.")
    cluster["continuous"] = continuous
    cluster["cluster_role"] = params.get("ClusterRole") or cluster["cluster_role"]
    cluster["node_recovery"] = params.get("NodeRecovery") or cluster["node_recovery"]
    cluster["tiered_storage"] = params.get("TieredStorageConfig") or cluster["tiered_storage"]
    asked = params.get("AutoScaling")
    auto_scaling.check(context, asked, continuous, cluster["cluster_role"], cluster["node_recovery"])
    auto_scaling.change(context, cluster, asked)


def _update_groups(context: Context, cluster: Cluster, specs: list[dict[str, Any]], doomed: list[str]) -> None:
    for spec in specs:
        group = group_of(cluster, spec["InstanceGroupName"])
        if group is None:
            cluster["groups"].append(groups.make(spec, context.timestamp, "Creating"))
            continue
        kept = {member: group["spec"][member] for member in _FIXED if member in group["spec"]}
        group.update(spec={**kept, **spec}, target=spec["InstanceCount"], minimum=spec.get("MinInstanceCount", 0), status="Updating")
    for group in cluster["groups"]:
        if group["name"] in doomed:
            group["status"] = "Deleting"
