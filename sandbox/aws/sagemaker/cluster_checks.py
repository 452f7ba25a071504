"""What HyperPod checks of a request before it makes or changes a cluster (aws.md §1.1, §1.2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.aws import roles
from sandbox.aws.errors import AWSError
from sandbox.aws.sagemaker import images, training_plan, training_plans
from sandbox.aws.sagemaker.errors import invalid
from sandbox.aws.sagemaker.group import instance_types
from sandbox.aws.sagemaker.instance_types import facts

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_NAME = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}")
_LARGEST_VOLUME = 16384


def check_groups(context: Context, specs: list[dict[str, Any]], *, continuous: bool, vpc_config: dict[str, Any] | None) -> None:
    """Every group of a request, by itself and among the others."""
    names = [spec["InstanceGroupName"] for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise invalid(f"Instance group names must be unique: {name} is used more than once.")
    for spec in specs:
        _check_group(context, spec, continuous, vpc_config)


def _check_group(context: Context, spec: dict[str, Any], continuous: bool, vpc_config: dict[str, Any] | None) -> None:
    name = spec["InstanceGroupName"]
    where = f"Instance group {name}:"
    if not _NAME.fullmatch(name):
        raise invalid(f"{where} InstanceGroupName must satisfy regular expression pattern: [a-zA-Z0-9](-*[a-zA-Z0-9])*")
    if bool(spec.get("InstanceType")) == bool(spec.get("InstanceRequirements")):
        raise invalid(f"{where} exactly one of InstanceType and InstanceRequirements must be given.")
    if "MinInstanceCount" in spec:
        if not continuous:
            raise invalid(f"{where} MinInstanceCount is supported only with NodeProvisioningMode Continuous.")
        if spec["MinInstanceCount"] > spec["InstanceCount"]:
            raise invalid(f"{where} MinInstanceCount must not exceed InstanceCount.")
    _check_capacity(context, spec, where)
    _check_volumes(spec, where)
    checks = spec.get("OnStartDeepHealthChecks", [])
    if checks and not all(facts(one).deep_checks for one in instance_types(spec)):
        raise invalid(f"{where} deep health checks are not supported for instance type {instance_types(spec)[0]}.")
    kubernetes = spec.get("KubernetesConfig") or {}
    if checks and kubernetes.get("Taints"):
        raise invalid(f"{where} custom taints cannot be combined with OnStartDeepHealthChecks.")
    for label in (*kubernetes.get("Labels", {}), *(taint["Key"] for taint in kubernetes.get("Taints", []))):
        if label.startswith(("sagemaker.amazonaws.com/", "kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")):
            raise invalid(f"{where} the key {label} is reserved.")
    release = spec.get("ImageReleaseVersion")
    if release is not None and not images.known(release):
        raise invalid(f"{where} image release version {release} does not exist.")
    check_role(context, spec["ExecutionRole"], "sagemaker.amazonaws.com", where)
    _check_lifecycle(context, spec, where)
    override = spec.get("OverrideVpcConfig")
    if override:
        check_network(context, override, where)
    elif not vpc_config:
        raise invalid(f"{where} VpcConfig is required when the orchestrator is EKS.")


def _check_capacity(context: Context, spec: dict[str, Any], where: str) -> None:
    capacity = spec.get("CapacityRequirements")
    if capacity is not None and len(capacity) != 1:
        raise invalid(f"{where} exactly one of Spot and OnDemand must be given in CapacityRequirements.")
    plan_arn = spec.get("TrainingPlanArn")
    if not plan_arn:
        return
    if capacity and "Spot" in capacity:
        raise invalid(f"{where} CapacityRequirements Spot cannot be combined with TrainingPlanArn.")
    plan = training_plan.lookup_arn(context, plan_arn)
    if plan is None:
        raise invalid(f"{where} training plan {plan_arn} does not exist.")
    training_plans.check_usable(context, plan, instance_types(spec), spec["InstanceCount"], where)


def _check_volumes(spec: dict[str, Any], where: str) -> None:
    roots = 0
    for storage in spec.get("InstanceStorageConfigs", []):
        if len(storage) != 1:
            raise invalid(f"{where} each item of InstanceStorageConfigs holds exactly one configuration.")
        volume = storage.get("EbsVolumeConfig")
        if volume is None:
            continue
        if volume.get("RootVolume"):
            roots += 1
            if "VolumeSizeInGB" in volume or "VolumeKmsKeyId" not in volume:
                raise invalid(f"{where} a root volume takes no VolumeSizeInGB and needs a VolumeKmsKeyId.")
        elif not 1 <= volume.get("VolumeSizeInGB", 0) <= _LARGEST_VOLUME:
            raise invalid(f"{where} VolumeSizeInGB must be from 1 to {_LARGEST_VOLUME}.")
    if roots > 1:
        raise invalid(f"{where} only one root volume configuration is allowed.")


def check_role(context: Context, arn: str, service: str, where: str) -> None:
    role = roles.find_role(context, arn)
    if role is None:
        raise invalid(f"{where} role {arn} does not exist.".strip())
    if not roles.trusts(role, service):
        raise invalid(
            f"{where} could not assume role {arn}. Ensure that the role exists and allows principal '{service}' to assume it.".strip()
        )
    roles.check_pass(context, arn)


def _check_lifecycle(context: Context, spec: dict[str, Any], where: str) -> None:
    """The scripts must be there: SourceS3Uri is a prefix, OnCreate a file below it."""
    lifecycle = spec.get("LifeCycleConfig")
    if not lifecycle or not lifecycle.get("SourceS3Uri"):
        return
    uri = lifecycle["SourceS3Uri"]
    match = re.fullmatch(r"s3://([^/]+)/?(.*)", uri)
    if match is None:
        return  # an https:// address is not looked into
    bucket, prefix = match[1], match[2].strip("/")
    for script in (lifecycle.get("OnCreate"), lifecycle.get("OnInitComplete")):
        if not script:
            continue
        key = f"{prefix}/{script}" if prefix else script
        try:
            context.as_source("service").call("s3", "HeadObject", {"Bucket": bucket, "Key": key})
        except AWSError as error:
            if error.status not in (403, 404):
                raise
            raise invalid(
                f"{where} the lifecycle script {script} was not found at {uri}: s3://{bucket}/{key} does not exist or cannot be read."
            ) from error


def check_network(context: Context, network: dict[str, Any], where: str = "") -> str:
    """Subnets and security groups exist and lie in one VPC; its id."""
    service = context.as_source("service")
    try:
        subnets = service.call("ec2", "DescribeSubnets", {"SubnetIds": network["Subnets"]})["Subnets"]
        groups = service.call("ec2", "DescribeSecurityGroups", {"GroupIds": network["SecurityGroupIds"]})["SecurityGroups"]
    except AWSError as error:
        if error.code.startswith(("InvalidSubnet", "InvalidGroup")):
            raise invalid(f"{where} {error.message}".strip()) from error
        raise
    vpcs = {subnet["VpcId"] for subnet in subnets} | {group["VpcId"] for group in groups}
    if len(vpcs) > 1:
        raise invalid(f"{where} subnets and security groups must be in the same VPC.".strip())
    return str(vpcs.pop())
