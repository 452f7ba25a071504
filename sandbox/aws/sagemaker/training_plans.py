"""Training plans: list, describe, make, and what a group asks of one.

A new sandbox has one plan that is active, so that the choice "capacity from a training plan" can be tried at once. Others are made
from offerings (training_plan_offerings.py).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2.zones import zone, zones
from sandbox.aws.registry import operation
from sandbox.aws.sagemaker.cluster import clusters
from sandbox.aws.sagemaker.errors import in_use, invalid, limit_exceeded, not_found
from sandbox.aws.sagemaker.training_plan import KIND, status, store
from sandbox.aws.sagemaker.training_plan_offerings import find_offering, reserved
from sandbox.world import on_new_account

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_DAY = 86_400.0
_QUOTA = 25  # "Number of training plans per Region" (aws.md §8)
_NAME = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}")


@on_new_account
def seed(context: Context) -> None:
    """One plan of two ml.p5.48xlarge, active for the sandbox's first 30 days, in the region's second zone."""
    places = zones(context.region)
    if not places:
        return
    place = places[min(1, len(places) - 1)]
    start = context.timestamp - _DAY
    capacity = {"instance_type": "ml.p5.48xlarge", "count": 2, "zone": place.name, "start": start, "end": start + 31 * _DAY}
    store(context, "sandbox-p5", capacity, "95000.00", [])


def in_use_by(context: Context, arn: str) -> int:
    return sum(
        group["target"] for cluster in clusters(context) for group in cluster["groups"] if group["spec"].get("TrainingPlanArn") == arn
    )


def check_usable(context: Context, plan: dict[str, Any], types: list[str], count: int, where: str) -> None:
    """A group may use the plan: it is Scheduled or Active, of the group's type, with enough instances."""
    current = status(plan, context.timestamp)
    if current not in ("Scheduled", "Active"):
        raise invalid(f"{where} training plan {plan['name']} is {current}: it must be Scheduled or Active.")
    if types != [plan["instance_type"]]:
        raise invalid(f"{where} training plan {plan['name']} is for {plan['instance_type']}, not {', '.join(types)}.")
    if count > plan["count"]:
        raise invalid(f"{where} training plan {plan['name']} has {plan['count']} instances, {count} were asked for.")


def _view(context: Context, plan: dict[str, Any]) -> dict[str, Any]:
    current = status(plan, context.timestamp)
    used = min(plan["count"], in_use_by(context, plan["arn"]))
    place = zone(context.region, plan["zone"])
    dates = {
        "StartTime": plan["start"],
        "EndTime": plan["end"],
        "DurationHours": int((plan["end"] - plan["start"]) // 3600),
        "DurationMinutes": 0,
    }
    return {
        "TrainingPlanArn": plan["arn"],
        "TrainingPlanName": plan["name"],
        "Status": current,
        **dates,
        "UpfrontFee": plan["fee"],
        "CurrencyCode": "USD",
        "TotalInstanceCount": plan["count"],
        "AvailableInstanceCount": plan["count"] - used if current == "Active" else 0,
        "InUseInstanceCount": used,
        "TargetResources": ["hyperpod-cluster"],
        "ReservedCapacitySummaries": [
            {
                "ReservedCapacityArn": plan["reservation_arn"],
                "ReservedCapacityType": "Instance",
                "InstanceType": plan["instance_type"],
                "TotalInstanceCount": plan["count"],
                "Status": current,
                "AvailabilityZone": plan["zone"],
                "AvailabilityZoneId": place.id if place else "",
                **dates,
            }
        ],
    }


@operation("sagemaker", "ListTrainingPlans")
def list_training_plans(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    shown = [_view(context, plan) for plan in context.world.store.list(KIND, context.scope)]
    for condition in params.get("Filters") or []:
        shown = [plan for plan in shown if plan[condition["Name"]] == condition["Value"]]
    if params.get("StartTimeAfter") is not None:
        shown = [plan for plan in shown if plan["StartTime"] >= _seconds(params["StartTimeAfter"])]
    if params.get("StartTimeBefore") is not None:
        shown = [plan for plan in shown if plan["StartTime"] <= _seconds(params["StartTimeBefore"])]
    shown.sort(key=lambda plan: plan[params.get("SortBy", "StartTime")], reverse=params.get("SortOrder") == "Descending")
    return {"TrainingPlanSummaries": shown}


def _seconds(moment: Any) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else float(moment)


@operation("sagemaker", "DescribeTrainingPlan")
def describe_training_plan(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["TrainingPlanName"].rsplit("/", 1)[-1]
    plan = context.world.store.get(KIND, context.scope, name)
    if plan is None:
        raise not_found(f"Training plan {name} could not be found.")
    return {**_view(context, plan), "UnhealthyInstanceCount": 0, "AvailableSpareInstanceCount": 0}


@operation("sagemaker", "CreateTrainingPlan")
def create_training_plan(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["TrainingPlanName"]
    if not _NAME.fullmatch(name):
        raise invalid("TrainingPlanName must satisfy regular expression pattern: [a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}")
    if context.world.store.get(KIND, context.scope, name) is not None:
        raise in_use(f"Resource already in use: a training plan with the name {name} already exists.")
    if context.world.store.count(KIND, context.scope) >= _QUOTA:
        raise limit_exceeded(f"The account-level service limit 'Number of training plans per Region' is {_QUOTA}.")
    offering = find_offering(context, params["TrainingPlanOfferingId"])
    if offering is None:
        raise not_found(f"Training plan offering {params['TrainingPlanOfferingId']} could not be found.")
    plan = store(context, name, reserved(offering), offering["UpfrontFee"], params.get("Tags") or [])
    return {"TrainingPlanArn": plan["arn"]}
