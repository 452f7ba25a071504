"""Managed node groups: CreateNodegroup, DescribeNodegroup, ListNodegroups, UpdateNodegroupConfig, DeleteNodegroup."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from sandbox.aws.eks import node_group_checks as checks
from sandbox.aws.eks import node_group_life as life
from sandbox.aws.eks import updates
from sandbox.aws.eks.cluster import find as find_cluster
from sandbox.aws.eks.cluster import find_active
from sandbox.aws.eks.errors import in_use, invalid_request
from sandbox.aws.eks.node_group import find, lookup, of_cluster, view
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_AMI_TYPES = {
    "x86": "AL2023_x86_64_STANDARD",
    "arm": "AL2023_ARM_64_STANDARD",
    "gpu": "AL2023_x86_64_NVIDIA",
    "neuron": "AL2023_x86_64_NEURON",
}
_DEFAULT_TYPE, _DEFAULT_DISK = "t3.medium", 20


def names(context: Context, cluster: str) -> list[str]:
    return [group["nodegroupName"] for group in of_cluster(context, cluster)]


@operation("eks", "CreateNodegroup")
def create_nodegroup(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster_name, name = params["clusterName"], params["nodegroupName"]
    cluster = find_active(context, cluster_name)
    checks.check_name(cluster_name, name)
    existing, token = lookup(context, cluster_name, name), params.get("clientRequestToken", "")
    if existing is not None:
        if token and existing["_token"] == token:
            return {"nodegroup": view(existing)}
        raise in_use(
            f"NodeGroup already exists with name {name} and cluster name {cluster_name}", clusterName=cluster_name, nodegroupName=name
        )
    checks.check_quota(context, cluster_name, names(context, cluster_name))
    scaling = checks.scaling(params.get("scalingConfig") or {}, {"minSize": 1, "maxSize": 2, "desiredSize": 2})
    checks.check_role(context, params["nodeRole"])
    capacity = params.get("capacityType", "ON_DEMAND")
    template = checks.launch_template(context, params.get("launchTemplate"))
    checks.check_launch(context, template)
    types = checks.instance_types(params.get("instanceTypes") or [], template, _DEFAULT_TYPE)
    subnets = checks.subnets(context, params["subnets"], cluster["resourcesVpcConfig"]["vpcId"])
    checks.check_capacity(context, capacity, template, types, subnets)
    if template is not None and params.get("diskSize"):
        raise checks.refused("Disk size must be specified within the launch template.", cluster_name, name)
    now = context.timestamp
    group: dict[str, Any] = {
        "nodegroupName": name,
        "nodegroupArn": context.arn("eks", f"nodegroup/{cluster_name}/{name}/{uuid.uuid4()}"),
        "clusterName": cluster_name,
        "version": cluster["version"],
        "releaseVersion": f"{cluster['version']}.0-20261101",
        "createdAt": now,
        "modifiedAt": now,
        "status": "CREATING",
        "capacityType": capacity,
        "scalingConfig": scaling,
        "subnets": [subnet["SubnetId"] for subnet in subnets],
        "amiType": params.get("amiType") or _AMI_TYPES[checks.kind_of_machine(types[0])],
        "nodeRole": params["nodeRole"],
        "labels": params.get("labels") or {},
        "taints": params.get("taints") or [],
        "resources": {},
        "health": {"issues": []},
        "updateConfig": params.get("updateConfig") or {"maxUnavailable": 1},
        "tags": params.get("tags") or {},
        "_token": token,
        "_types": types,
        "_template": template,
    }
    if template is None:
        group |= {"instanceTypes": types, "diskSize": params.get("diskSize") or _DEFAULT_DISK}
    else:
        group["launchTemplate"] = {"name": template["name"], "version": template["version"], "id": template["id"]}
        if not template["data"].get("InstanceType"):
            group["instanceTypes"] = types
    life.begin(context, group)
    return {"nodegroup": view(group)}


@operation("eks", "DescribeNodegroup")
def describe_nodegroup(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"nodegroup": view(find(context, params["clusterName"], params["nodegroupName"]))}


@operation("eks", "ListNodegroups")
def list_nodegroups(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find_cluster(context, params["clusterName"])
    return {"nodegroups": sorted(names(context, params["clusterName"]))}


@operation("eks", "UpdateNodegroupConfig")
def update_nodegroup_config(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster_name, name = params["clusterName"], params["nodegroupName"]
    group = find(context, cluster_name, name)
    token = params.get("clientRequestToken", "")
    if token and (known := updates.by_token(context, cluster_name, token)) is not None:
        return {"update": known}
    if group["status"] not in ("ACTIVE", "DEGRADED"):
        raise in_use(
            f"Nodegroup cannot be updated as it is currently not in Active state: it is {group['status']}",
            clusterName=cluster_name,
            nodegroupName=name,
        )
    said: dict[str, str] = {}
    if params.get("scalingConfig"):
        group["scalingConfig"] = checks.scaling(params["scalingConfig"], group["scalingConfig"])
        said |= {one[0].upper() + one[1:]: str(value) for one, value in params["scalingConfig"].items()}
    labels = params.get("labels") or {}
    if labels:
        kept = {one: value for one, value in group["labels"].items() if one not in (labels.get("removeLabels") or ())}
        group["labels"] = kept | (labels.get("addOrUpdateLabels") or {})
        said |= {
            "LabelsToAdd": json.dumps(labels.get("addOrUpdateLabels") or {}),
            "LabelsToRemove": json.dumps(labels.get("removeLabels") or []),
        }
    taints = params.get("taints") or {}
    if taints:
        changed = [*(taints.get("removeTaints") or ()), *(taints.get("addOrUpdateTaints") or ())]
        gone = {(one["key"], one["effect"]) for one in changed}
        rest = [one for one in group["taints"] if (one["key"], one["effect"]) not in gone]
        group["taints"] = rest + (taints.get("addOrUpdateTaints") or [])
        said["TaintsToAdd"] = json.dumps(taints.get("addOrUpdateTaints") or [])
    if params.get("updateConfig"):
        group["updateConfig"] = params["updateConfig"]
        said |= {one[0].upper() + one[1:]: str(value) for one, value in params["updateConfig"].items()}
    if not said:
        raise invalid_request("No changes needed for the node group", clusterName=cluster_name, nodegroupName=name)
    update = updates.start(context, cluster_name, "ConfigUpdate", said, nodegroup=name, token=token)
    life.begin_update(context, group, update["id"])
    return {"update": update}


@operation("eks", "DeleteNodegroup")
def delete_nodegroup(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster_name, name = params["clusterName"], params["nodegroupName"]
    group = find(context, cluster_name, name)
    if group["status"] in ("CREATING", "UPDATING"):
        raise in_use(f"Nodegroup cannot be deleted while it is {group['status']}", clusterName=cluster_name, nodegroupName=name)
    if group["status"] != "DELETING":
        life.begin_deletion(context, group)
        group = find(context, cluster_name, name)
    return {"nodegroup": view(group)}


@operation("eks", "ListFargateProfiles")
def list_fargate_profiles(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find_cluster(context, params["clusterName"])
    return {"fargateProfileNames": []}
