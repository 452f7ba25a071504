"""Instances: none. HyperPod's run in the service's own account, so DescribeInstances does not show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@operation("ec2", "DescribeInstances")
def describe_instances(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    _refuse_ids(params)
    return {"Reservations": []}


@operation("ec2", "DescribeInstanceStatus")
def describe_instance_status(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    _refuse_ids(params)
    return {"InstanceStatuses": []}


def _refuse_ids(params: dict[str, Any]) -> None:
    for identifier in params.get("InstanceIds") or []:
        raise AWSError("InvalidInstanceID.NotFound", f"The instance ID '{identifier}' does not exist")
