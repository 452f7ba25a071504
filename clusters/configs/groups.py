"""An instance group as AWS writes it (CreateCluster's InstanceGroups, `hyp`'s instance_group_settings) as a group of ours."""

from __future__ import annotations

from typing import Any

from clusters.configs.converted import EMPTY, Converted, Kind

OWN: dict[str, tuple[Kind, str]] = {
    "ExecutionRole": ("replaced", "The cluster gets an execution role of its own with the rights that its nodes need."),
    "LifeCycleConfig": ("replaced", "The cluster gets a bucket with lifecycle scripts of its own; run yours there if you need them."),
    "MinInstanceCount": ("unsupported", "A minimum count is not set here: the group is in service with fewer nodes, and that is shown."),
    "InstanceRequirements": ("unsupported", "Flexible groups with several types are not made here; the first type is taken."),
    "OverrideVpcConfig": ("replaced", "All groups of a new cluster are in the cluster's compute subnet."),
    "ScheduledUpdateConfig": ("unsupported", "Scheduled updates are not set here; update the software when you want to."),
    "AutoPatchConfig": ("unsupported", "Automatic patching is not set here; update the software when you want to."),
    "ImageId": ("unsupported", "Nodes are made from HyperPod's own image."),
    "ImageReleaseVersion": ("unsupported", "Nodes are made from HyperPod's newest image."),
    "KubernetesConfig": ("unsupported", "Labels and taints are not set when a cluster is made; set them on the group afterwards."),
    "SlurmConfig": ("unsupported", "Slurm is not used here."),
    "NetworkInterface": ("replaced", "HyperPod attaches what the instance type has."),
    "EnvironmentConfig": ("unsupported", "Restricted groups are not made here."),
    # hyp's own
    "TargetAvailabilityZoneId": ("replaced", "All groups of a new cluster are in the zone of its nodes: choose it in the input."),
    "TargetAvailabilityZoneName": ("replaced", "All groups of a new cluster are in the zone of its nodes: choose it in the input."),
}
TAKEN = (
    "InstanceGroupName",
    "InstanceType",
    "InstanceCount",
    "ThreadsPerCore",
    "InstanceStorageConfigs",
    "OnStartDeepHealthChecks",
    "TrainingPlanArn",
    "CapacityRequirements",
)


def group(converted: Converted, path: str, given: Any) -> dict[str, Any]:
    """Our group. What can't be taken over becomes a finding; values are judged later, by the input's own model."""
    if not isinstance(given, dict):
        converted.found(path, "unknown", "A group is an object with InstanceGroupName, InstanceType and InstanceCount.")
        return {}
    made: dict[str, Any] = {}
    for theirs, ours in (("InstanceGroupName", "name"), ("InstanceType", "instance_type"), ("InstanceCount", "count")):
        if given.get(theirs) not in EMPTY:
            made[ours] = given[theirs]
    if given.get("ThreadsPerCore") not in EMPTY:
        made["threads_per_core"] = given["ThreadsPerCore"]
    if given.get("OnStartDeepHealthChecks"):
        made["deep_health_checks"] = list(given["OnStartDeepHealthChecks"])
    types = (given.get("InstanceRequirements") or {}).get("InstanceTypes") or []
    if "instance_type" not in made and types:
        made["instance_type"] = types[0]
    _capacity(converted, path, given, made)
    _volumes(converted, path, given.get("InstanceStorageConfigs") or [], made)
    converted.leave(path, given, OWN, TAKEN)
    return made


def _capacity(converted: Converted, path: str, given: dict[str, Any], made: dict[str, Any]) -> None:
    wanted = given.get("CapacityRequirements") or {}
    spot = "Spot" in wanted
    converted.leave(f"{path}.CapacityRequirements", wanted, {}, ("Spot", "OnDemand"))
    if spot and given.get("TrainingPlanArn"):
        made |= {"capacity": "spot", "training_plan_arn": given["TrainingPlanArn"]}  # refused by the input, which names it
    elif given.get("TrainingPlanArn"):
        made |= {"capacity": "training-plan", "training_plan_arn": given["TrainingPlanArn"]}
    elif spot:
        made["capacity"] = "spot"


def _volumes(converted: Converted, path: str, volumes: list[Any], made: dict[str, Any]) -> None:
    """One EBS volume is taken over; another kind or a second one is named."""
    for index, entry in enumerate(volumes):
        where = f"{path}.InstanceStorageConfigs.{index}"
        ebs = entry.get("EbsVolumeConfig") if isinstance(entry, dict) else None
        if not isinstance(ebs, dict):
            converted.found(where, "unsupported", "Only an EBS volume is attached when a cluster is made; mount file systems afterwards.")
        elif ebs.get("RootVolume"):
            converted.found(where, "unsupported", "The root volume is left as HyperPod makes it.")
        elif "volume_gb" in made:
            converted.found(where, "unsupported", "One EBS volume a node is attached; this further one is left out.")
        else:
            if ebs.get("VolumeSizeInGB") not in EMPTY:
                made["volume_gb"] = ebs["VolumeSizeInGB"]
            reasons: dict[str, tuple[Kind, str]] = {
                "VolumeKmsKeyId": ("unsupported", "The volume is encrypted with AWS's own key, not with this one.")
            }
            converted.leave(f"{where}.EbsVolumeConfig", ebs, reasons, ("VolumeSizeInGB", "RootVolume"))


def place(converted: Converted, path: str, given: list[Any]) -> None:
    """All groups into the input: the first as `group`, the others as `groups`; the first one's deep health checks are the
    cluster's, so that the form shows them."""
    made = [group(converted, f"{path}.{index}", item) for index, item in enumerate(given)]
    if not made:
        return
    first, *others = made
    checks = first.pop("deep_health_checks", [])
    if checks:
        converted.input["deep_health_checks"] = checks
        others = [{"deep_health_checks": [], **other} for other in others]
    converted.input["group"] = first
    if others:
        converted.input["groups"] = others


def restricted(converted: Converted, path: str, given: list[Any]) -> None:
    """Restricted groups are named one by one: none is made."""
    for index, item in enumerate(given):
        name = item.get("InstanceGroupName", "") if isinstance(item, dict) else ""
        converted.found(
            f"{path}.{index}",
            "unsupported",
            f"{name or 'This'} is a restricted instance group, for Amazon Nova models only: it is not made here. Add it with the AWS"
            " command line when the cluster is there.",
        )


def tags(converted: Converted, path: str, given: list[Any]) -> None:
    """AWS's list of Key and Value (or `hyp`'s of {key: value}) as our mapping."""
    made: dict[str, str] = {}
    for index, item in enumerate(given):
        if isinstance(item, dict) and "Key" in item:
            made[str(item["Key"])] = str(item.get("Value", ""))
        elif isinstance(item, dict) and len(item) == 1:
            ((key, value),) = item.items()
            made[str(key)] = str(value)
        else:
            converted.found(f"{path}.{index}", "unknown", "A tag is an object with Key and Value.")
    if made:
        converted.input["tags"] = made


def name(converted: Converted, path: str, given: Any) -> None:
    """HyperPod allows capitals; EKS, S3 and IAM names made from it do not go well with them."""
    text = str(given)
    if text != text.lower():
        converted.found(path, "changed", f"{text} becomes {text.lower()}: the name is also that of a bucket, which has no capitals.")
    converted.input["name"] = text.lower()
