"""One instance group as CreateCluster and UpdateCluster take it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clusters import lifecycle, names
from clusters.catalog import instance_types
from clusters.checks import resolve
from clusters.groups.spec import NewGroup, taints_as_sent
from clusters.reading.hyperpod import HyperPodReading
from clusters.reading.stack import StackReading
from clusters.resolved import Group
from clusters.spec import Capacity, DeepHealthCheck


@dataclass(frozen=True)
class Home:
    """What a cluster's groups share: the role of their instances, their lifecycle script, security groups and subnet.

    ours: whether the script is the one that InstantStart uploads.
    """

    execution_role: str
    lifecycle: Mapping[str, str]
    security_groups: tuple[str, ...]
    subnets: tuple[str, ...]
    ours: bool


def own_lifecycle(bucket: str) -> dict[str, str]:
    """Our script in the cluster's bucket."""
    return {"SourceS3Uri": f"s3://{bucket}/{names.lifecycle_prefix(lifecycle.artefact().checksum)}", "OnCreate": lifecycle.ENTRY}


def home(stack: StackReading | None, found: HyperPodReading, bucket: str) -> Home | None:
    """From our own stack where there is one, else as the cluster's first group has it. None when neither tells a role."""
    network = found.raw.get("VpcConfig") or {}
    groups, subnets = tuple(network.get("SecurityGroupIds") or ()), tuple(network.get("Subnets") or ())
    if stack is not None and stack.complete:
        return Home(stack.outputs["ExecutionRoleArn"], own_lifecycle(bucket), groups, subnets, ours=True)
    first = next((group.raw for group in found.groups if group.raw.get("ExecutionRole")), None)
    if first is None:
        return None
    return Home(first["ExecutionRole"], dict(first.get("LifeCycleConfig") or {}), groups, subnets, ours=False)


def group_request(
    group: Group, execution_role: str, script: Mapping[str, str], deep_health_checks: Iterable[DeepHealthCheck]
) -> dict[str, Any]:
    """A group that is not there yet."""
    request: dict[str, Any] = {
        "InstanceGroupName": group.name,
        "InstanceType": group.instance_type,
        "InstanceCount": group.count,
        "ExecutionRole": execution_role,
        "ThreadsPerCore": group.threads_per_core,
        **({"LifeCycleConfig": dict(script)} if script else {}),
        "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": group.volume_gb}}],
    }
    checks = [str(check) for check in deep_health_checks]
    if checks:
        request["OnStartDeepHealthChecks"] = checks
    if group.capacity is Capacity.SPOT:
        request["CapacityRequirements"] = {"Spot": {}}
    if group.capacity is Capacity.TRAINING_PLAN:
        request["TrainingPlanArn"] = group.training_plan_arn
    return request


def resolved(asked: NewGroup) -> Group:
    """With every default decided: of several types what holds for each of them, of several volumes the largest."""
    group = resolve.group(asked)
    kinds = [found for name in asked.instance_types if (found := instance_types.find(name)) is not None]
    changes: dict[str, Any] = {}
    if len(asked.instance_types) > 1:
        unknown = len(kinds) < len(asked.instance_types)
        changes["addresses_per_node"] = None if unknown else max(kind.addresses for kind in kinds)
        if asked.threads_per_core is None:
            changes["threads_per_core"] = min([group.threads_per_core, *(kind.threads_per_core for kind in kinds)])
    if asked.data_volumes:
        changes["volume_gb"] = max(one.size_gb or 0 for one in asked.data_volumes)
    return group.model_copy(update=changes)


def _storage(asked: NewGroup) -> list[dict[str, Any]]:
    """InstanceStorageConfigs of several volumes."""
    found = []
    for one in asked.volumes or ():
        volume: dict[str, Any] = {} if one.size_gb is None else {"VolumeSizeInGB": one.size_gb}
        if one.kms_key:
            volume["VolumeKmsKeyId"] = one.kms_key
        if one.root:
            volume["RootVolume"] = True
        found.append({"EbsVolumeConfig": volume})
    return found


def new_group_request(
    group: Group, asked: NewGroup, at: Home, deep_health_checks: Iterable[DeepHealthCheck], subnet: str
) -> dict[str, Any]:
    """The same with everything that a group of one's own may have. subnet: "" for the cluster's own."""
    script = {"SourceS3Uri": asked.lifecycle, "OnCreate": asked.on_create} if asked.lifecycle else at.lifecycle
    request = group_request(group, at.execution_role, script, deep_health_checks)
    if asked.volumes is not None:
        request["InstanceStorageConfigs"] = _storage(asked)
    if len(asked.instance_types) > 1:
        request["InstanceRequirements"] = {"InstanceTypes": list(asked.instance_types)}
        del request["InstanceType"]
    if asked.minimum:
        request["MinInstanceCount"] = asked.minimum
    if subnet:
        request["OverrideVpcConfig"] = {"SecurityGroupIds": list(at.security_groups), "Subnets": [subnet]}
    if asked.image_id:
        request["ImageId"] = asked.image_id
    kubernetes: dict[str, Any] = {}
    if asked.labels:
        kubernetes["Labels"] = dict(asked.labels)
    if asked.taints:
        kubernetes["Taints"] = taints_as_sent(taint.model_dump() for taint in asked.taints)
    if kubernetes:
        request["KubernetesConfig"] = kubernetes
    return request
