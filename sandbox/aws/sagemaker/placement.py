"""Where an instance is launched: type and subnet, or why none will do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.sagemaker import network, training_plan
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.group import instance_types, network_of

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def find(context: Context, cluster: dict[str, Any], group: dict[str, Any], node: dict[str, Any]) -> tuple[str, dict[str, Any]] | str:
    """(instance type, subnet), or the sentence that says what is missing: capacity or addresses."""
    reason = ""
    plan_arn = group["spec"].get("TrainingPlanArn")
    plan = training_plan.lookup_arn(context, plan_arn) if plan_arn else None
    if plan is not None and training_plan.over(context, plan):
        return f"Training plan {plan['name']} has expired: no instance can be launched on it."
    plan_zone = training_plan.zone_of(context, plan_arn)
    candidates = network.subnets(context, network_of(group, cluster))
    for instance_type in dict.fromkeys([node["instance_type"], *instance_types(group["spec"])]):
        for subnet in candidates:
            if node["zones"] and not {subnet["AvailabilityZone"], subnet["AvailabilityZoneId"]} & set(node["zones"]):
                continue
            if plan_zone and subnet["AvailabilityZone"] != plan_zone:
                reason = reason or f"The training plan of instance group {group['name']} is in {plan_zone}, but its subnet is not."
                continue
            problem = _problem(context, subnet, instance_type)
            if not problem:
                return instance_type, subnet
            reason = reason or problem
    return reason or f"Instance group {group['name']} has no subnet in the Availability Zones {', '.join(node['zones'])}."


def _problem(context: Context, subnet: dict[str, Any], instance_type: str) -> str:
    zone = subnet["AvailabilityZone"]
    shortage = context.world.faults.scenario("capacity_shortage", zone=zone, instance_type=instance_type) or context.world.faults.scenario(
        "capacity_shortage", zone=subnet["AvailabilityZoneId"], instance_type=instance_type
    )
    if shortage is not None and _running(context, zone, instance_type) >= int(shortage.get("available") or 0):
        return (
            f"We currently do not have sufficient {instance_type} capacity in the Availability Zone you requested "
            f"({subnet['AvailabilityZoneId']}). Our system will be working on provisioning additional capacity."
        )
    if subnet["AvailableIpAddressCount"] < network.needed(instance_type):
        return (
            f"Subnet {subnet['SubnetId']} does not have enough free addresses: an {instance_type} instance needs "
            f"{network.needed(instance_type)}, {subnet['AvailableIpAddressCount']} are free."
        )
    return ""


def _running(context: Context, zone: str, instance_type: str) -> int:
    rows = context.world.store.list(nodes.KIND, context.scope)
    return sum(bool(row["instance_id"]) and row["zone"] == zone and row["instance_type"] == instance_type for row in rows)
