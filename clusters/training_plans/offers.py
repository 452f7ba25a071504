"""What AWS offers as training plans at this moment: never kept, for prices and dates change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from instantstart.cloud.aws import Aws

TARGET = "hyperpod-cluster"
COUNTS = (1, 2, 4, 8, 16, 32, 64)
LONGEST_DAYS = 182
"""Counts and days that training plans come in (reference/aws.md §8)."""


@dataclass(frozen=True)
class Wish:
    """What is looked for. hours: how long; starts_after, ends_before: the window, None for any."""

    instance_type: str
    count: int
    hours: int
    starts_after: datetime | None = None
    ends_before: datetime | None = None


@dataclass(frozen=True)
class Offer:
    """One offering. fee: the whole price, paid in advance, as AWS writes it. zones, starts, ends: of its blocks."""

    id: str
    instance_type: str
    count: int
    hours: int
    zones: tuple[str, ...]
    starts: datetime | None
    ends: datetime | None
    fee: str
    currency: str

    @property
    def per_instance_hour(self) -> float | None:
        """What one instance comes to an hour; None where the fee is no number."""
        try:
            return round(float(self.fee) / (self.count * self.hours), 4) if self.count and self.hours else None
        except ValueError:
            return None

    @property
    def price(self) -> str:
        try:
            return f"{float(self.fee):,.2f} {self.currency}"
        except ValueError:
            return f"{self.fee} {self.currency}"


def search(aws: Aws, wish: Wish) -> list[Offer]:
    """Offerings for HyperPod, cheapest first. CloudError."""
    window = {"StartTimeAfter": wish.starts_after, "EndTimeBefore": wish.ends_before}
    said = aws.read(
        "sagemaker",
        "search_training_plan_offerings",
        InstanceType=wish.instance_type,
        InstanceCount=wish.count,
        DurationHours=wish.hours,
        TargetResources=[TARGET],
        **{name: value for name, value in window.items() if value is not None},
    )
    offers = [_offer(item, wish) for item in said.get("TrainingPlanOfferings", [])]
    return sorted(offers, key=lambda offer: (offer.per_instance_hour or float("inf"), offer.id))


def _offer(item: dict[str, Any], wish: Wish) -> Offer:
    blocks = item.get("ReservedCapacityOfferings") or []
    starts = [block["StartTime"] for block in blocks if block.get("StartTime")]
    ends = [block["EndTime"] for block in blocks if block.get("EndTime")]
    return Offer(
        id=str(item["TrainingPlanOfferingId"]),
        instance_type=str(blocks[0]["InstanceType"]) if blocks else wish.instance_type,
        count=int(blocks[0].get("InstanceCount", wish.count)) if blocks else wish.count,
        hours=int(item.get("DurationHours", wish.hours)),
        zones=tuple(sorted({block["AvailabilityZone"] for block in blocks if block.get("AvailabilityZone")})),
        starts=min(starts, default=None),
        ends=max(ends, default=None),
        fee=str(item.get("UpfrontFee", "")),
        currency=str(item.get("CurrencyCode", "USD")),
    )
