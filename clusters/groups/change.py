"""Fields of a group that is there: which can't be changed and what to do instead, and which UpdateCluster is asked to change."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from clusters.configs.export import exported_group
from clusters.groups.labels import LabelKey, LabelValue
from clusters.groups.spec import Folder, Script, TaintInput, taints_as_sent
from clusters.reading.hyperpod import GroupReading
from clusters.spec import Capacity, DeepHealthCheck, Input
from operations.choices import Severity
from operations.plan import Check, FieldChange


class GroupFields(Input):
    """What may be sent of a group; absent fields stay as they are. The first four can't be changed after creation."""

    instance_type: str | None = None
    capacity: Capacity | None = None
    training_plan_arn: str | None = None
    subnet: str | None = None
    volume_gb: Annotated[int, Field(ge=1, le=16384)] | None = None
    threads_per_core: Literal[1, 2] | None = None
    deep_health_checks: list[DeepHealthCheck] | None = None
    minimum: Annotated[int, Field(ge=0, le=6758)] | None = None
    lifecycle: Annotated[Folder, Field(min_length=1)] | None = None
    on_create: Script | None = None
    labels: Annotated[dict[LabelKey, LabelValue], Field(max_length=50)] | None = None
    taints: Annotated[list[TaintInput], Field(max_length=50)] | None = None


FIXED: dict[str, str] = {
    "instance_type": "instance type",
    "capacity": "capacity mode",
    "training_plan_arn": "training plan",
    "subnet": "subnet (and with it the Availability Zone)",
}
"""Fields that HyperPod never changes on a group that exists, and their names in a sentence."""


def current(group: GroupReading) -> dict[str, Any]:
    """The fields as the group has them now, in the words of GroupFields."""
    raw = group.raw
    script = raw.get("LifeCycleConfig") or {}
    kubernetes = raw.get("KubernetesConfig") or {}
    return {
        "instance_type": group.instance_type,
        "capacity": str(group.capacity),
        "training_plan_arn": raw.get("TrainingPlanArn", ""),
        "subnet": next(iter((raw.get("OverrideVpcConfig") or {}).get("Subnets") or ()), ""),
        "volume_gb": next((volume["VolumeSizeInGB"] for volume in _volumes(raw) if "VolumeSizeInGB" in volume), None),
        "threads_per_core": raw.get("ThreadsPerCore"),
        "deep_health_checks": list(raw.get("OnStartDeepHealthChecks") or ()),
        "minimum": group.min_count or 0,
        "lifecycle": script.get("SourceS3Uri", ""),
        "on_create": script.get("OnCreate", ""),
        "labels": dict(kubernetes.get("DesiredLabels") or {}),
        "taints": [
            {"key": one["Key"], "value": one.get("Value", ""), "effect": one["Effect"]} for one in kubernetes.get("DesiredTaints") or ()
        ],
    }


def differences(group: GroupReading, wanted: Mapping[str, Any]) -> dict[str, FieldChange]:
    """Of the fields given (None: not), those that differ."""
    now = current(group)
    return {
        name: FieldChange(field=name, before=now[name], after=value)
        for name, value in wanted.items()
        if value is not None and name in now and now[name] != value
    }


def refusals(group: GroupReading, changes: Mapping[str, FieldChange]) -> Iterator[Check]:
    """An error for each field that can't be changed, with the way round it."""
    for name in FIXED:
        if name in changes:
            change = changes[name]
            yield Check(
                code="group_field_fixed",
                severity=Severity.ERROR,
                title="Fixed at creation",
                detail=f"HyperPod can't change the {FIXED[name]} of {group.name} ({change.before or 'none'}) after its creation.",
                fix=f"Add a group like {group.name} with {name} {change.after or 'none'} (add-instead.json is its request), "
                f"drain the nodes of {group.name}, then delete it; POST …/groups/{group.name}/replacement/ plans and does all of that.",
                field=name,
            )


def alternative(group: GroupReading, changes: Mapping[str, FieldChange]) -> str:
    """The request of group.add for a group like this one with the changes made."""
    return json.dumps({"groups": [like(group, changes)]}, indent=1)


def successor(name: str) -> str:
    """What a group that takes the place of another is called unless somebody says so."""
    return f"{name[:61]}-2"


def like(group: GroupReading, changes: Mapping[str, FieldChange]) -> dict[str, Any]:
    """A group of group.add like this one with the changes made."""
    now = current(group)
    made = {name: value for name, value in now.items() if value not in ("", None, [], {}, 0)}
    made["deep_health_checks"] = now["deep_health_checks"]
    made["instance_type"], *further = [one.strip() for one in group.instance_type.split(",")]
    if further and "instance_type" not in changes:
        made["further_types"] = further
    made |= {name: change.after for name, change in changes.items()}
    if made["capacity"] != Capacity.TRAINING_PLAN:
        made.pop("training_plan_arn", None)
    volumes = _volumes(group.raw)
    if len(volumes) > 1 or any(one.get("RootVolume") or one.get("VolumeKmsKeyId") for one in volumes):
        made["volumes"] = _like_volumes(volumes, made.pop("volume_gb", None))
    return {"name": successor(group.name), "count": group.target_count, **made}


def _like_volumes(volumes: Iterable[Mapping[str, Any]], first: int | None) -> list[dict[str, Any]]:
    """first: the size of the first that is not the root volume."""
    made = []
    for one in volumes:
        volume: dict[str, Any] = {"kms_key": one["VolumeKmsKeyId"]} if one.get("VolumeKmsKeyId") else {}
        if one.get("RootVolume"):
            volume["root"] = True
        else:
            volume["size_gb"], first = first or one["VolumeSizeInGB"], None
        made.append(volume)
    return made


def changed_request(group: GroupReading, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The whole group as just read, with what differs put in."""
    request = exported_group(group.raw)
    for name, change in differences(group, wanted).items():
        _put(request, name, change.after)
    return request


def _put(request: dict[str, Any], name: str, value: Any) -> None:
    if name == "volume_gb":
        # Of several volumes the first that has a size is meant; its key and the others stay.
        volumes = [dict(one) for one in request.get("InstanceStorageConfigs") or ()]
        sized = next((one for one in volumes if "VolumeSizeInGB" in (one.get("EbsVolumeConfig") or {})), None)
        if sized is None:
            volumes.append({"EbsVolumeConfig": {"VolumeSizeInGB": value}})
        else:
            sized["EbsVolumeConfig"] = {**sized["EbsVolumeConfig"], "VolumeSizeInGB": value}
        request["InstanceStorageConfigs"] = volumes
    elif name == "threads_per_core":
        request["ThreadsPerCore"] = value
    elif name == "deep_health_checks":
        request.pop("OnStartDeepHealthChecks", None)
        if value:
            request["OnStartDeepHealthChecks"] = list(value)
    elif name == "minimum":
        request["MinInstanceCount"] = value
    elif name in ("lifecycle", "on_create"):
        member = "SourceS3Uri" if name == "lifecycle" else "OnCreate"
        request["LifeCycleConfig"] = {**(request.get("LifeCycleConfig") or {}), member: value}
    elif name in ("labels", "taints"):
        sent = {"Labels": value} if name == "labels" else {"Taints": taints_as_sent(value)}
        request["KubernetesConfig"] = {**(request.get("KubernetesConfig") or {}), **sent}


def _volumes(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one["EbsVolumeConfig"] for one in raw.get("InstanceStorageConfigs") or () if "EbsVolumeConfig" in one]
