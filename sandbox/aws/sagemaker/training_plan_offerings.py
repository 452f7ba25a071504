"""Offerings of reserved capacity (aws.md §1.7, §8): whole days, starting at 11:30 UTC, in one zone. Fees are invented.

An offering's id spells what it offers (type, count, days, start day, zone), so it needs no store and stays valid after a restart.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2.zones import zones
from sandbox.aws.registry import operation
from sandbox.aws.sagemaker.errors import invalid
from sandbox.spread import spread

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_COUNTS = (1, 2, 4, 8, 16, 32, 64)
_LONGEST_DAYS = 182
_FURTHEST_DAYS = 56
_ID = re.compile(r"tpo-([a-z0-9-]+)-n(\d+)-d(\d+)-s(\d{8})-([a-z])")
# USD an hour of one instance, about cluster usage (aws.md §9); 60 where no price is known
_HOURLY = {"ml.p4d.24xlarge": 25.91, "ml.p5.48xlarge": 66.05, "ml.p5en.48xlarge": 75.96}


@operation("sagemaker", "SearchTrainingPlanOfferings")
def search_training_plan_offerings(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Up to three offerings: one for each of up to three zones, each starting a day later than the one before."""
    if params.get("TrainingPlanArn"):
        return {"TrainingPlanOfferings": [], "TrainingPlanExtensionOfferings": []}
    kind, count, hours = params.get("InstanceType"), params.get("InstanceCount"), params.get("DurationHours")
    if not kind or not count or not hours:
        raise invalid("InstanceType, InstanceCount and DurationHours are required.")
    days = -(-int(hours) // 24)
    if count not in _COUNTS or days > _LONGEST_DAYS or "hyperpod-cluster" not in params.get("TargetResources", ["hyperpod-cluster"]):
        return {"TrainingPlanOfferings": []}
    now = datetime.fromtimestamp(context.timestamp, UTC)
    first = _aware(params.get("StartTimeAfter")) or now + timedelta(minutes=30)
    latest, before = now + timedelta(days=_FURTHEST_DAYS), _aware(params.get("EndTimeBefore"))
    found = []
    for index, place in enumerate(zones(context.region)[:3]):
        start = first.replace(hour=11, minute=30, second=0, microsecond=0) + timedelta(days=index)
        if start < first:
            start += timedelta(days=1)
        if start > latest or (before and start + timedelta(days=days) > before):
            continue
        identifier = f"tpo-{kind.removeprefix('ml.').replace('.', '-')}-n{count}-d{days}-s{start:%Y%m%d}-{place.name[-1]}"
        offering = find_offering(context, identifier)
        if offering is not None:
            found.append(offering)
    return {"TrainingPlanOfferings": found}


def _aware(moment: Any) -> datetime | None:
    if moment is None:
        return None
    if isinstance(moment, datetime):
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return datetime.fromtimestamp(float(moment), UTC)


def find_offering(context: Context, identifier: str) -> dict[str, Any] | None:
    """The offering an id spells, None when it is none of ours or starts in the past."""
    match = _ID.fullmatch(identifier)
    if match is None:
        return None
    family, _, size = match[1].rpartition("-")
    kind, count, days = f"ml.{family}.{size}", int(match[2]), int(match[3])
    start = datetime.strptime(match[4], "%Y%m%d").replace(hour=11, minute=30, tzinfo=UTC)
    if start.timestamp() < context.timestamp:
        return None
    end, hours = start + timedelta(days=days), days * 24
    fee = count * hours * _HOURLY.get(kind, 60.0) * spread(identifier, 0.7, 0.9)
    capacity = {
        "ReservedCapacityType": "Instance",
        "InstanceType": kind,
        "InstanceCount": count,
        "AvailabilityZone": f"{context.region}{match[5]}",
        "DurationHours": hours,
        "DurationMinutes": 0,
        "StartTime": start,
        "EndTime": end,
    }
    return {
        "TrainingPlanOfferingId": identifier,
        "TargetResources": ["hyperpod-cluster"],
        "DurationHours": hours,
        "DurationMinutes": 0,
        "UpfrontFee": f"{fee:.2f}",
        "CurrencyCode": "USD",
        "ReservedCapacityOfferings": [capacity],
    }


def reserved(offering: dict[str, Any]) -> dict[str, Any]:
    """What a plan made from the offering stores."""
    capacity = offering["ReservedCapacityOfferings"][0]
    return {
        "instance_type": capacity["InstanceType"],
        "count": capacity["InstanceCount"],
        "zone": capacity["AvailabilityZone"],
        "start": capacity["StartTime"].timestamp(),
        "end": capacity["EndTime"].timestamp(),
    }
