"""What a cluster costs now: of what exists, half-made clusters included. Unknown is None, never 0."""

from __future__ import annotations

from clusters.catalog.cost import ADDRESS_PER_HOUR, EKS_PER_HOUR, NAT_PER_HOUR, instances
from clusters.models import Cluster
from clusters.node_groups import prices
from clusters.observing.look import Look

BILLED: dict[str, float] = {
    "AWS::EKS::Cluster": EKS_PER_HOUR,
    "AWS::EC2::NatGateway": NAT_PER_HOUR,
    "AWS::EC2::EIP": ADDRESS_PER_HOUR,
}


def cost_per_hour(row: Cluster, seen: Look) -> float | None:
    """US dollars an hour for the resources and instances that are there; None when a price or a reading is missing."""
    stack = seen.phases.get("control_plane")  # type: ignore[call-overload]
    if stack is None or not seen.hyperpod_read:
        return row.cost_per_hour
    total = sum(BILLED.get(item.resource_type, 0.0) for item in stack.resources)
    for group in seen.hyperpod.groups if seen.hyperpod else ():
        line = instances(group.instance_type, group.current_count, group.capacity, row.region)
        if line.per_hour is None:
            return None
        total += line.per_hour
    if seen.node_groups is None:
        return row.cost_per_hour
    for one in seen.node_groups:
        price = prices.per_hour(one.instance_types, one.counts["desired"], one.capacity, row.region)
        if price is None:
            return None
        total += price
    return round(total, 4)
