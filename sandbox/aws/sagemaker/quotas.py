"""Quotas of HyperPod clusters, by name in Service Quotas (their codes differ between sources: aws.md §8)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sandbox.aws.sagemaker.cluster import clusters
from sandbox.aws.sagemaker.errors import limit_exceeded
from sandbox.aws.sagemaker.group import capacity_type, instance_types

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_PER_CLUSTER = "Maximum number instances allowed per SageMaker HyperPod cluster"
_IN_ALL = "Total number of instances allowed across SageMaker HyperPod clusters"
_SPOT_IN_ALL = "Total number of Spot instances allowed across SageMaker HyperPod clusters"


def usage_name(spec: dict[str, Any]) -> str:
    """The usage quota that a group counts against; reserved capacity of a training plan counts against none."""
    kind = "cluster spot instance usage" if capacity_type(spec) == "Spot" else "cluster usage"
    return f"{instance_types(spec)[0]} for {kind}"


def check(context: Context, cluster_name: str, wanted: list[tuple[dict[str, Any], int]]) -> None:
    """The cluster with these (group spec, target count) pairs in place of its present ones stays within every quota."""
    values = _values(context)
    others = [
        (group["spec"], group["target"]) for cluster in clusters(context) if cluster["name"] != cluster_name for group in cluster["groups"]
    ]
    present = [
        (group["spec"], group["target"]) for cluster in clusters(context) if cluster["name"] == cluster_name for group in cluster["groups"]
    ]
    after, before = _usage([*others, *wanted]), _usage([*others, *present])
    for name in after:
        _within(context, values, name, after[name], before[name])
    total = sum(count for _, count in wanted)
    _within(context, values, _PER_CLUSTER, total, sum(count for _, count in present))
    used = sum(count for _, count in present) + sum(count for _, count in others)
    _within(context, values, _IN_ALL, total + sum(count for _, count in others), used)


def _usage(groups: list[tuple[dict[str, Any], int]]) -> Counter[str]:
    used: Counter[str] = Counter()
    for spec, count in groups:
        if spec.get("TrainingPlanArn"):
            continue
        used[usage_name(spec)] += count
        if capacity_type(spec) == "Spot":
            used[_SPOT_IN_ALL] += count
    return used


def _within(context: Context, values: dict[str, float], name: str, after: int, before: int) -> None:
    if after <= before:
        return  # what shrinks or stays is never refused
    reached = context.world.faults.scenario("quota_reached", name=name)
    limit = before if reached else values.get(name)
    if limit is not None and after > limit:
        raise limit_exceeded(
            f"The account-level service limit '{name}' is {int(limit)} Instances, with current utilization of {before} Instances and a "
            f"request delta of {after - before} Instances. Please use AWS Service Quotas to request an increase for this quota. If AWS "
            "Service Quotas is not available, contact AWS support to request an increase for this quota."
        )


def _values(context: Context) -> dict[str, float]:
    """Quota values of the account by name."""
    found = context.as_source("service").call("service-quotas", "ListServiceQuotas", {"ServiceCode": "sagemaker"})
    return {quota["QuotaName"]: quota["Value"] for quota in found["Quotas"]}
