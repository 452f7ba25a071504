"""Capacity Blocks: offerings, their purchase, and the reservation it gives, which is active from its start until its end.

Prices and dates of offerings are plausible, not AWS's [~]: every type with accelerators, one zone, from now on.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.ec2 import tags
from sandbox.aws.ec2.instance_types import INSTANCE_TYPES, offered_zones
from sandbox.aws.ec2.table import check_dry_run, wire
from sandbox.aws.ec2.tables import CAPACITY_RESERVATIONS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_KIND = "_ec2.capacity-block-offering"
_PRICE = 4.0  # US dollars for an accelerator and hour


@operation("ec2", "DescribeCapacityBlockOfferings")
def describe_capacity_block_offerings(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    name, count, hours = params.get("InstanceType", ""), params.get("InstanceCount") or 1, params["CapacityDurationHours"]
    known = INSTANCE_TYPES.get(name)
    if known is None:
        raise AWSError("InvalidParameterValue", f"Invalid value '{name}' for InstanceType.")
    if not known.accelerators or hours % 24:
        return {"CapacityBlockOfferings": []}
    start = float(int(context.timestamp))
    found = []
    for zone in offered_zones(context.region, name)[:1]:
        digest = hashlib.sha256(f"{context.scope}/{name}/{zone}/{count}/{hours}".encode()).hexdigest()[:16]
        offering = {
            "CapacityBlockOfferingId": f"cb-0{digest}",
            "InstanceType": name,
            "AvailabilityZone": zone,
            "InstanceCount": count,
            "StartDate": start,
            "EndDate": start + hours * 3600,
            "CapacityBlockDurationHours": hours,
            "UpfrontFee": f"{known.accelerators * count * hours * _PRICE:.2f}",
            "CurrencyCode": "USD",
            "Tenancy": "default",
        }
        context.world.store.put(_KIND, context.scope, offering["CapacityBlockOfferingId"], offering)
        found.append(offering)
    return {"CapacityBlockOfferings": found}


@operation("ec2", "PurchaseCapacityBlock")
def purchase_capacity_block(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    offering = context.world.store.get(_KIND, context.scope, params["CapacityBlockOfferingId"])
    if offering is None:
        raise AWSError("InvalidCapacityBlockOfferingId.NotFound", f"{params['CapacityBlockOfferingId']} does not exist")
    identifier = CAPACITY_RESERVATIONS.new_id(context)
    record = {
        "CapacityReservationId": identifier,
        "CapacityReservationArn": context.arn("ec2", f"capacity-reservation/{identifier}"),
        "OwnerId": context.account,
        "InstanceType": offering["InstanceType"],
        "InstancePlatform": params.get("InstancePlatform") or "Linux/UNIX",
        "AvailabilityZone": offering["AvailabilityZone"],
        "Tenancy": "default",
        "TotalInstanceCount": offering["InstanceCount"],
        "AvailableInstanceCount": offering["InstanceCount"],
        "EbsOptimized": True,
        "EphemeralStorage": False,
        "State": "active",
        "StartDate": offering["StartDate"],
        "EndDate": offering["EndDate"],
        "EndDateType": "limited",
        "InstanceMatchCriteria": "targeted",
        "CreateDate": context.timestamp,
        "ReservationType": "capacity-block",
        "Tags": tags.from_specifications(context, params, "capacity-reservation"),
    }
    CAPACITY_RESERVATIONS.put(context, record)
    context.world.store.delete(_KIND, context.scope, offering["CapacityBlockOfferingId"])
    ends = context.now + offering["CapacityBlockDurationHours"] * 3600
    context.schedule(ends, "ec2.capacity-block.ended", {"id": identifier}, background=True)
    return {"CapacityReservation": wire(record)}


@agenda_handler("ec2.capacity-block.ended")
def end(context: Context, payload: dict[str, Any]) -> None:
    record = CAPACITY_RESERVATIONS.find(context, payload["id"])
    if record is not None:
        CAPACITY_RESERVATIONS.put(context, {**record, "State": "expired", "AvailableInstanceCount": 0})


@operation("ec2", "DescribeCapacityReservations")
def describe_capacity_reservations(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = CAPACITY_RESERVATIONS.select(context, params.get("CapacityReservationIds"), params.get("Filters"))
    return {"CapacityReservations": [wire(one) for one in found]}
