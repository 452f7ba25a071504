"""What DescribeCluster said, as the request that CreateCluster takes: its own names for counts, and nothing that is only told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CLUSTER = ("ClusterName", "VpcConfig", "Orchestrator", "TieredStorageConfig", "NodeRecovery", "NodeProvisioningMode", "ClusterRole")
_GROUP = (
    "InstanceGroupName",
    "InstanceType",
    "LifeCycleConfig",
    "ExecutionRole",
    "ThreadsPerCore",
    "InstanceStorageConfigs",
    "OnStartDeepHealthChecks",
    "TrainingPlanArn",
    "OverrideVpcConfig",
    "ScheduledUpdateConfig",
    "CapacityRequirements",
)
_RESTRICTED = (
    "InstanceGroupName",
    "InstanceType",
    "ExecutionRole",
    "ThreadsPerCore",
    "InstanceStorageConfigs",
    "OnStartDeepHealthChecks",
    "TrainingPlanArn",
    "OverrideVpcConfig",
    "ScheduledUpdateConfig",
)
_PATCHING = ("PatchingStrategy", "DeploymentConfig", "IdleWaitWindowInSeconds", "DrainPolicy")


def exported(described: Mapping[str, Any], tags: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The `--cli-input-json` document of a cluster like the described one. tags: to be set on it.

    Counts are the target ones. Images are left out: DescribeCluster names AWS's own, too, which CreateCluster does not take.
    """
    made = _kept(described, _CLUSTER)
    groups = [exported_group(group) for group in described.get("InstanceGroups") or []]
    restricted = [_restricted(group) for group in described.get("RestrictedInstanceGroups") or []]
    if groups:
        made["InstanceGroups"] = groups
    if restricted:
        made["RestrictedInstanceGroups"] = restricted
    if described.get("RestrictedInstanceGroupsConfig"):
        made["RestrictedInstanceGroupsConfig"] = described["RestrictedInstanceGroupsConfig"]
    scaling = described.get("AutoScaling") or {}
    if scaling.get("Mode") == "Enable":
        made["AutoScaling"] = _kept(scaling, ("Mode", "AutoScalerType"))
    if tags:
        made["Tags"] = [{"Key": key, "Value": value} for key, value in sorted(tags.items())]
    return made


def _kept(given: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Those members, in that order. An empty object stays (`{"Spot": {}}` says something); an empty text or list does not."""
    return {name: given[name] for name in names if given.get(name) not in (None, "", [])}


def exported_group(given: Mapping[str, Any]) -> dict[str, Any]:
    """One group as UpdateCluster takes it to leave it as it was read."""
    made = {**_kept(given, _GROUP), "InstanceCount": int(given.get("TargetCount", 0))}
    if given.get("MinCount"):
        made["MinInstanceCount"] = int(given["MinCount"])
    types = (given.get("InstanceRequirements") or {}).get("DesiredInstanceTypes") or []
    if types:
        made["InstanceRequirements"] = {"InstanceTypes": list(types)}
        made.pop("InstanceType", None)
    kubernetes = given.get("KubernetesConfig") or {}
    wanted = {
        name: value for name, value in (("Labels", kubernetes.get("DesiredLabels")), ("Taints", kubernetes.get("DesiredTaints"))) if value
    }
    if wanted:
        made["KubernetesConfig"] = wanted
    patching = given.get("AutoPatchConfig") or {}
    if patching:
        schedule = patching.get("DesiredPatchSchedule") or patching.get("CurrentPatchSchedule")
        made["AutoPatchConfig"] = {**_kept(patching, _PATCHING), **({"PatchSchedule": schedule} if schedule else {})}
    interface = (given.get("NetworkInterface") or {}).get("InterfaceType")
    if interface:
        made["NetworkInterface"] = {"InterfaceType": interface}
    return made


def _restricted(given: Mapping[str, Any]) -> dict[str, Any]:
    made = {**_kept(given, _RESTRICTED), "InstanceCount": int(given.get("TargetCount", 0))}
    environment = given.get("EnvironmentConfig") or {}
    if environment:
        made["EnvironmentConfig"] = {name: value for name, value in environment.items() if name != "S3OutputPath"}
    return made
