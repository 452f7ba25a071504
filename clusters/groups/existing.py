"""A group that is there, in the words of the checks."""

from __future__ import annotations

from clusters.catalog import instance_types
from clusters.reading.hyperpod import GroupReading, HyperPodReading
from clusters.resolved import Group


def as_group(group: GroupReading, count: int) -> Group:
    """With that count; the size of its volume does not count again."""
    first = group.instance_type.split(",")[0].strip()
    found = instance_types.find(first)
    return Group(
        name=group.name,
        instance_type=first,
        count=count,
        capacity=group.capacity,
        training_plan_arn=group.raw.get("TrainingPlanArn", ""),
        volume_gb=1,
        threads_per_core=group.raw.get("ThreadsPerCore", 1),
        addresses_per_node=found.addresses if found is not None else None,
    )


def subnet_of(found: HyperPodReading, group: GroupReading) -> str:
    """Where its nodes go: its own subnet, else the cluster's; "" when AWS names none."""
    network = group.raw.get("OverrideVpcConfig") or found.raw.get("VpcConfig") or {}
    return next(iter(network.get("Subnets") or ()), "")
