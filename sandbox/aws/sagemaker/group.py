"""An instance group inside its cluster's row: {name, spec, target, minimum, status, release, image, software, made_at}.

`spec` is the group as the request gave it (aws.md §1.1); the output names counts differently: TargetCount, CurrentCount, MinCount.
"""

from __future__ import annotations

from typing import Any

from sandbox.aws.sagemaker import images

Group = dict[str, Any]

HERE = ("Running", "DeepHealthCheckInProgress", "SystemUpdating")  # node states that count into CurrentCount
_ECHOED = (
    "LifeCycleConfig",
    "ExecutionRole",
    "InstanceStorageConfigs",
    "OnStartDeepHealthChecks",
    "TrainingPlanArn",
    "OverrideVpcConfig",
    "ScheduledUpdateConfig",
    "AutoPatchConfig",
    "CapacityRequirements",
    "SlurmConfig",
    "NetworkInterface",
)


def make(spec: dict[str, Any], now: float, status: str) -> Group:
    return {
        "name": spec["InstanceGroupName"],
        "spec": spec,
        "target": spec["InstanceCount"],
        "minimum": spec.get("MinInstanceCount", 0),
        "status": status,
        "release": spec.get("ImageReleaseVersion", images.LATEST),
        "image": spec["ImageId"] if spec.get("ImageId", "default") != "default" else images.DEFAULT_IMAGE,
        "software": "",
        "made_at": now,
    }


def instance_types(spec: dict[str, Any]) -> list[str]:
    """The types a group may use, the preferred one first; one for a plain group."""
    if spec.get("InstanceType"):
        return [spec["InstanceType"]]
    return [*spec["InstanceRequirements"]["InstanceTypes"]]


def capacity_type(spec: dict[str, Any]) -> str:
    return "Spot" if "Spot" in (spec.get("CapacityRequirements") or {}) else "OnDemand"


def network_of(group: Group, cluster: dict[str, Any]) -> dict[str, Any]:
    """The group's subnets and security groups: its own, else the cluster's."""
    network: dict[str, Any] = group["spec"].get("OverrideVpcConfig") or cluster["vpc_config"]
    return network


def view(group: Group, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """As DescribeCluster shows it; `nodes` are the group's own."""
    spec = group["spec"]
    here = [node for node in nodes if node["status"] in HERE]
    shown: dict[str, Any] = {
        "InstanceGroupName": group["name"],
        "CurrentCount": len(here),
        "TargetCount": group["target"],
        "MinCount": group["minimum"],
        "Status": group["status"],
        "ThreadsPerCore": spec.get("ThreadsPerCore", 1),
        "CurrentImageId": group["image"],
        "DesiredImageId": group["image"],
        "CurrentImageReleaseVersion": group["release"],
        "DesiredImageReleaseVersion": group["release"],
        "ImageVersionStatus": images.standing(group["release"]),
    }
    if spec.get("InstanceType"):
        shown["InstanceType"] = spec["InstanceType"]
    else:
        types = instance_types(spec)
        shown["InstanceRequirements"] = {"CurrentInstanceTypes": types, "DesiredInstanceTypes": types}
        shown["InstanceTypeDetails"] = [
            {
                "InstanceType": one,
                "CurrentCount": sum(node["instance_type"] == one for node in here),
                "ThreadsPerCore": shown["ThreadsPerCore"],
            }
            for one in types
        ]
    for member in _ECHOED:
        if member in spec:
            shown[member] = spec[member]
    if "KubernetesConfig" in spec:
        labels, taints = spec["KubernetesConfig"].get("Labels", {}), spec["KubernetesConfig"].get("Taints", [])
        shown["KubernetesConfig"] = {"CurrentLabels": labels, "DesiredLabels": labels, "CurrentTaints": taints, "DesiredTaints": taints}
    if group["software"]:
        shown["SoftwareUpdateStatus"] = group["software"]
    moving = len(nodes) - len(here) + max(0, group["target"] - len(nodes))
    if moving:
        shown["ActiveOperations"] = {"Scaling": 1}
    return shown
