"""UpdateClusterSoftware: every running node of the groups is patched, SystemUpdating meanwhile; StartClusterHealthCheck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.registry import operation
from sandbox.aws.sagemaker import events, images, node_life
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.cluster import find, group_of, lookup, save
from sandbox.aws.sagemaker.errors import conflict, invalid
from sandbox.aws.sagemaker.instance_types import facts
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@operation("sagemaker", "UpdateClusterSoftware")
def update_cluster_software(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    if cluster["status"] != "InService":
        raise conflict(f"Cluster {cluster['name']} cannot be updated while it is {cluster['status']}.")
    listed = params.get("InstanceGroups") or [{"InstanceGroupName": group["name"]} for group in cluster["groups"]]
    service = context.as_source("service")
    for item in listed:
        group = group_of(cluster, item["InstanceGroupName"])
        if group is None:
            raise invalid(f"Instance group {item['InstanceGroupName']} does not exist in cluster {cluster['name']}.")
        if group["status"] != "InService":
            raise conflict(f"Instance group {group['name']} is {group['status']}.")
        release = item.get("ImageReleaseVersion", images.LATEST)
        if not images.known(release):
            raise invalid(f"Image release version {release} does not exist.")
        group.update(status="SystemUpdating", software="InProgress", release=release)
        if params.get("ImageId", "default") != "default":
            group["image"] = params["ImageId"]
        for node in nodes.of_cluster(context, cluster):
            if node["group"] == group["name"] and node["status"] == "Running":
                nodes.save(context, {**node, "status": "SystemUpdating"})
        events.write(service, cluster, f"Software update of instance group {group['name']} to {release} has started.", group=group["name"])
    cluster["status"] = "SystemUpdating"
    save(context, cluster)
    payload = {"cluster": cluster["name"], "id": cluster["id"], "groups": [item["InstanceGroupName"] for item in listed]}
    service.schedule(context.now + duration("sagemaker.node.software"), "sagemaker.software.updated", payload)
    return {"ClusterArn": cluster["arn"]}


@agenda_handler("sagemaker.software.updated")
def finish(context: Context, payload: dict[str, Any]) -> None:
    cluster = lookup(context, payload["cluster"])
    if cluster is None or cluster["id"] != payload["id"] or cluster["status"] != "SystemUpdating":
        return
    for name in payload["groups"]:
        group = group_of(cluster, name)
        if group is None:
            continue
        group.update(status="InService", software="Succeeded")
        for node in nodes.of_cluster(context, cluster):
            if node["group"] == name and node["status"] == "SystemUpdating":
                nodes.save(
                    context, {**node, "status": "Running", "release": group["release"], "image": group["image"], "boots": node["boots"] + 1}
                )
        events.write(context, cluster, f"Software update of instance group {name} has ended.", group=name)
    cluster["status"] = "InService"
    save(context, cluster)


@operation("sagemaker", "StartClusterHealthCheck")
def start_cluster_health_check(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    for asked in params["DeepHealthCheckConfigurations"]:
        group = group_of(cluster, asked["InstanceGroupName"])
        if group is None:
            raise invalid(f"Instance group {asked['InstanceGroupName']} does not exist in cluster {cluster['name']}.")
        instance_ids = asked.get("InstanceIds")
        for node in nodes.of_cluster(context, cluster):
            if node["group"] != group["name"] or (instance_ids and node["instance_id"] not in instance_ids):
                continue
            if not facts(node["instance_type"]).deep_checks:
                raise invalid(f"Deep health checks are not supported for instance type {node['instance_type']}.")
            if node["status"] == "Running":
                node_life.start_deep_check(context.as_source("service"), cluster, node)
    return {"ClusterArn": cluster["arn"]}
