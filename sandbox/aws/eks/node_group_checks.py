"""What EKS checks before it makes or changes a node group. Messages as public sources show them; those marked [~] are ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.aws import permissions, roles
from sandbox.aws.ec2 import launch_template as templates
from sandbox.aws.ec2.instance_types import INSTANCE_TYPES, offered_zones
from sandbox.aws.eks.errors import invalid_parameter, invalid_request, limit_exceeded
from sandbox.aws.errors import AWSError
from sandbox.aws.service_quotas.values import value_of
from sandbox.spread import hex_id

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_NAME = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,62}")
_PER_CLUSTER, _PER_GROUP = ("L-6D54EA21", 30), ("L-BD136A63", 450)
_MEMBERS = ("minSize", "maxSize", "desiredSize")


def refused(message: str, cluster: str = "", nodegroup: str = "") -> AWSError:
    named = {"clusterName": cluster, "nodegroupName": nodegroup}
    return invalid_parameter(message, **{name: value for name, value in named.items() if value})


def check_name(cluster: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise refused(
            "The nodegroup name must begin with an alphanumeric character and have only alphanumeric characters, hyphens and underscores, "
            f"at most 63 of them: {name}",
            cluster,
            name,
        )


def check_quota(context: Context, cluster: str, present: list[str]) -> None:
    most = int(value_of(context, "eks", _PER_CLUSTER[0]) or _PER_CLUSTER[1])
    if len(present) >= most:
        raise limit_exceeded(f"Nodegroup limit exceeded for cluster. You may have up to {most} nodegroups.", clusterName=cluster)


def scaling(given: dict[str, Any], before: dict[str, Any]) -> dict[str, int]:
    """The counts with what was given in place of what was there: minimum ≤ desired ≤ maximum."""
    found = {name: int(given[name] if given.get(name) is not None else before[name]) for name in _MEMBERS}
    if found["minSize"] > found["desiredSize"]:
        raise refused(f"Minimum capacity {found['minSize']} can't be greater than desired size {found['desiredSize']}")
    if found["desiredSize"] > found["maxSize"]:
        raise refused(f"desired capacity {found['desiredSize']} can't be greater than max size {found['maxSize']}")
    if found["maxSize"] > _PER_GROUP[1]:
        raise limit_exceeded(f"Nodegroup size limit exceeded. You may have up to {_PER_GROUP[1]} nodes in a nodegroup.")
    return found


def check_role(context: Context, arn: str) -> None:
    """The role exists, EC2 may assume it, and the caller may look at it and pass it."""
    for action in ("iam:GetRole", "iam:ListAttachedRolePolicies"):
        decision = context.world.identity.authorize(context.principal, action, arn)
        if not decision.allowed:
            raise permissions.denied(context, action, arn, decision.reason)
    role = roles.find_role(context, arn)
    if role is None:
        raise refused(f"The role with name {arn.rpartition('/')[2]} cannot be found.")
    if not roles.trusts(role, "ec2.amazonaws.com"):
        raise refused(
            f"Following required service principals [ec2.amazonaws.com] were not found in the trust relationships of nodeRole {arn}"
        )
    roles.check_pass(context, arn)


def subnets(context: Context, subnet_ids: list[str], vpc_id: str) -> list[dict[str, Any]]:
    """As EC2 describes them: there, and in the cluster's VPC."""
    try:
        found: list[dict[str, Any]] = context.as_source("service").call(
            "ec2", "DescribeSubnets", {"SubnetIds": [*dict.fromkeys(subnet_ids)]}
        )["Subnets"]
    except AWSError as error:
        if error.code.startswith("InvalidSubnet"):
            raise refused(f"The subnet ID '{', '.join(subnet_ids)}' does not exist") from error
        raise
    for subnet in found:
        if subnet["VpcId"] != vpc_id:
            raise refused(f"Subnet {subnet['SubnetId']} is not in the cluster's VPC {vpc_id}")
    return found


def launch_template(context: Context, said: dict[str, Any] | None) -> dict[str, Any] | None:
    """{id, name, version, data} of the version that is meant."""
    if not said:
        return None
    if bool(said.get("id")) == bool(said.get("name")):
        raise refused("You must specify either the launch template ID or the launch template name in the request, but not both.")
    try:
        return templates.resolve(context, said.get("id", ""), said.get("name", ""), said.get("version", "$Default"))
    except AWSError as error:
        raise refused(error.message) from error


def check_launch(context: Context, template: dict[str, Any] | None) -> None:
    """EKS tries a launch from the caller's template with the caller's own rights. Images are of no account."""
    if template is None:
        return
    image = f"arn:{context.partition}:ec2:{context.region}::image/ami-0123456789abcdef0"
    for arn in (context.arn("ec2", "instance/*"), context.arn("ec2", f"launch-template/{template['id']}"), image):
        if not context.world.identity.authorize(context.principal, "ec2:RunInstances", arn).allowed:
            raise invalid_request(
                "You are not authorized to launch instances with this launch template. Encoded authorization failure message: "
                + hex_id(f"{context.principal.arn} {arn}", 64)
            )


def instance_types(given: list[str], template: dict[str, Any] | None, default: str) -> list[str]:
    inside = template["data"].get("InstanceType") if template is not None else None
    if inside and given:
        raise refused("You cannot specify an instance type in both the launch template and the request.")
    found = [inside] if inside else given or [default]
    unknown = [name for name in found if name not in INSTANCE_TYPES]
    if unknown:
        raise refused(f"The following supplied instance types do not exist: [{', '.join(unknown)}]")
    if len({kind_of_machine(name) for name in found}) > 1:
        raise refused(f"Instance types of different architectures or accelerators can't be mixed in a nodegroup: {found}")
    return found


def kind_of_machine(name: str) -> str:
    one = INSTANCE_TYPES[name]
    if one.accelerator is not None:
        return "gpu" if one.accelerator.kind == "gpu" else "neuron"
    return "arm" if one.arm else "x86"


def check_capacity(context: Context, capacity: str, template: dict[str, Any] | None, types: list[str], where: list[dict[str, Any]]) -> None:
    """Type, zone and market fit together. A Capacity Block must be named by the launch template, with the market type capacity-block."""
    zones = {subnet["AvailabilityZone"] for subnet in where}
    for name in types:
        missing = sorted(zones - set(offered_zones(context.region, name)))
        if missing and len(missing) == len(zones):
            raise refused(
                f"Your requested instance type ({name}) is not supported in your requested Availability Zone ({', '.join(missing)})."
            )
    data = template["data"] if template is not None else {}
    market = (data.get("InstanceMarketOptions") or {}).get("MarketType", "")
    if capacity == "SPOT" and market:
        raise refused("Instance market options in the launch template can't be used with the capacity type SPOT.")
    if (capacity == "CAPACITY_BLOCK") != (market == "capacity-block"):
        raise refused("The capacity type CAPACITY_BLOCK and the market type capacity-block of the launch template go together.")
    if capacity != "CAPACITY_BLOCK":
        return
    reservation = templates.reservation(context, data)
    if reservation is None:
        raise refused("The launch template must target a Capacity Block by its reservation id.")
    if reservation["InstanceType"] not in types:
        raise refused(f"The Capacity Block {reservation['CapacityReservationId']} is for {reservation['InstanceType']}.")
    if zones != {reservation["AvailabilityZone"]}:
        raise refused(
            f"The subnets must be in {reservation['AvailabilityZone']}, where the Capacity Block {reservation['CapacityReservationId']} is."
        )
