"""The stored node: kind `sagemaker.node`, key cluster id/logical id. It keeps its logical id when its instance is replaced.

A row has: cluster, cluster_id, eks_cluster_arn, group, logical_id, instance_id ("" before launch), instance_type, capacity_type,
status, message, launched_at, subnet, zone, zone_id, ip, cidr, dns, interfaces, release, image, life (how many instances it had),
joined (a member of Kubernetes), health (node-health-status), deep_check (deep-health-check-status), fault (its labels fault-types and
fault-reasons, without prefix), boots, leaves_target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.sagemaker import images

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "sagemaker.node"

Node = dict[str, Any]

SCHEDULABLE = "Schedulable"


def make(context: Context, cluster: dict[str, Any], group: dict[str, Any], instance_type: str, zones: list[str] | None = None) -> Node:
    """A node that is asked for and has no instance yet."""
    logical_id = f"{group['name']}-{context.new_id('', 13)[2:]}"
    return {
        "cluster": cluster["name"],
        "cluster_id": cluster["id"],
        "eks_cluster_arn": cluster["eks_cluster_arn"],
        "group": group["name"],
        "logical_id": logical_id,
        "zones": zones or [],
        "life": 0,
        "joined": False,
        "boots": 1,
        "health": SCHEDULABLE,
        "deep_check": "",
        "fault": {},
        "attempt": 0,
        "asked_at": context.timestamp,
        **_without_instance(instance_type),
    }


def _without_instance(instance_type: str) -> dict[str, Any]:
    return {
        "instance_id": "",
        "instance_type": instance_type,
        "capacity_type": "OnDemand",
        "status": "Pending",
        "message": "",
        "launched_at": 0.0,
        "subnet": "",
        "cidr": "",
        "zone": "",
        "zone_id": "",
        "ip": "",
        "dns": "",
        "interfaces": [],
        "release": images.LATEST,
        "image": images.DEFAULT_IMAGE,
    }


def strip(node: Node) -> None:
    """Back to a node without an instance: its next one is launched into the same place."""
    node.update(_without_instance(node["instance_type"]), joined=False, health=SCHEDULABLE, deep_check="", fault={}, life=node["life"] + 1)


def key(node: Node) -> str:
    return f"{node['cluster_id']}/{node['logical_id']}"


def save(context: Context, node: Node) -> None:
    context.world.store.put(KIND, context.scope, key(node), node)


def delete(context: Context, node: Node) -> None:
    context.world.store.delete(KIND, context.scope, key(node))


def get(context: Context, cluster_id: str, logical_id: str) -> Node | None:
    return context.world.store.get(KIND, context.scope, f"{cluster_id}/{logical_id}")


def of_cluster(context: Context, cluster: dict[str, Any]) -> list[Node]:
    return [node for node in context.world.store.list(KIND, context.scope) if node["cluster_id"] == cluster["id"]]


def summary(node: Node, with_logical_id: bool) -> dict[str, Any]:
    """As ListClusterNodes shows it."""
    shown = {
        "InstanceGroupName": node["group"],
        "InstanceId": node["instance_id"],
        "InstanceType": node["instance_type"],
        "LaunchTime": node["launched_at"] or node["asked_at"],
        "InstanceStatus": _status(node),
        "CurrentImageReleaseVersion": node["release"],
        "ImageVersionStatus": images.standing(node["release"]),
    }
    if node["dns"]:
        shown["PrivateDnsHostname"] = node["dns"]
    if with_logical_id:
        shown["NodeLogicalId"] = node["logical_id"]
    return shown


def details(node: Node, group: dict[str, Any], continuous: bool) -> dict[str, Any]:
    """As DescribeClusterNode shows it."""
    spec = group["spec"]
    shown = summary(node, continuous)
    shown["ThreadsPerCore"] = spec.get("ThreadsPerCore", 1)
    shown["CapacityType"] = node["capacity_type"]
    shown["CurrentImageId"] = shown["DesiredImageId"] = node["image"]
    shown["DesiredImageReleaseVersion"] = node["release"]
    for member in ("LifeCycleConfig", "OverrideVpcConfig", "InstanceStorageConfigs", "NetworkInterface"):
        if member in spec:
            shown[member] = spec[member]
    if node["ip"]:
        shown["PrivatePrimaryIp"] = node["ip"]
        shown["Placement"] = {"AvailabilityZone": node["zone"], "AvailabilityZoneId": node["zone_id"]}
    if "KubernetesConfig" in spec:
        labels, taints = spec["KubernetesConfig"].get("Labels", {}), spec["KubernetesConfig"].get("Taints", [])
        shown["KubernetesConfig"] = {"CurrentLabels": labels, "DesiredLabels": labels, "CurrentTaints": taints, "DesiredTaints": taints}
    return shown


def _status(node: Node) -> dict[str, str]:
    return {"Status": node["status"], "Message": node["message"]} if node["message"] else {"Status": node["status"]}
