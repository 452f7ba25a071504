"""What a cluster costs an hour, as far as it is known: unknown is None, never 0."""

from __future__ import annotations

from dataclasses import dataclass

from clusters.prices.quote import Quote, quote
from clusters.resolved import ResolvedSpec
from clusters.spec import Capacity

EKS_PER_HOUR = 0.10
"""An EKS control plane in standard support, US dollars (AWS price list, all regions)."""
EKS_EXTENDED_PER_HOUR = 0.60
"""The same in extended support."""
NAT_PER_HOUR = 0.045
"""A NAT gateway in us-east-1 and us-west-2, without the traffic."""
ADDRESS_PER_HOUR = 0.005
"""A public IPv4 address."""


@dataclass(frozen=True)
class CostLine:
    """One part. per_hour: US dollars for all of them, None when unknown. note: what the number leaves out."""

    what: str
    count: int
    per_hour: float | None
    note: str = ""


def instances(instance_type: str, count: int, capacity: Capacity | str, region: str = "") -> CostLine:
    """The nodes of a group, at the newest known price of the region."""
    if count == 0 or capacity in (Capacity.TRAINING_PLAN, Capacity.SPOT):
        return instances_at(instance_type, count, capacity, None)
    return instances_at(instance_type, count, capacity, quote(instance_type, region))


def instances_at(instance_type: str, count: int, capacity: Capacity | str, price: Quote | None) -> CostLine:
    """The nodes of a group. price: of one on demand; None when unknown."""
    what = f"{count} × {instance_type}"
    if count == 0:
        return CostLine(what, 0, 0.0)
    if capacity == Capacity.TRAINING_PLAN:
        return CostLine(what, count, 0.0, "paid with the training plan")
    if capacity == Capacity.SPOT:
        return CostLine(what, count, None, "Spot prices change by the hour")
    if price is None:
        return CostLine(what, count, None, f"the price of {instance_type} is not in the table")
    return CostLine(what, count, round(count * price.per_hour, 4), price.note)


def lines(spec: ResolvedSpec, *, extended_support: bool = False) -> list[CostLine]:
    """Every part of the cluster that is billed by the hour."""
    eks = EKS_EXTENDED_PER_HOUR if extended_support else EKS_PER_HOUR
    parts = [CostLine("EKS control plane", 1, eks, "extended support" if extended_support else "")]
    if not spec.network.existing:
        parts.append(CostLine("NAT gateway", 1, NAT_PER_HOUR, "traffic is billed by the gigabyte besides"))
        parts.append(CostLine("public IPv4 address", 1, ADDRESS_PER_HOUR))
    parts += [instances(group.instance_type, group.count, group.capacity, spec.region) for group in spec.all_groups]
    return parts


def cost(spec: ResolvedSpec, *, extended_support: bool = False) -> float | None:
    """US dollars an hour of the whole cluster; None as soon as one part is not known."""
    prices = [line.per_hour for line in lines(spec, extended_support=extended_support)]
    if any(price is None for price in prices):
        return None
    return round(sum(price for price in prices if price is not None), 4)
