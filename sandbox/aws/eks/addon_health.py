"""An add-on's status from the clock and from what the cluster's controllers report.

The controllers write `_eks.addon-health`, key cluster/add-on: {"applied": bool, "short": ["Deployment kube-system/coredns"…],
"error": sentence or ""}. Without a Kubernetes backend (AWS alone is simulated) the same is worked out from the nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.eks import node_group
from sandbox.aws.eks.bookkeeping import ADDON_HEALTH
from sandbox.kube.addons import bring_replicas

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "eks.addon"
_SETTLED = ("ACTIVE", "DEGRADED", "CREATING", "UPDATING")
_REPLICAS = "The add-on is unhealthy because it doesn't have the desired number of replicas."


def report(context: Context, cluster: str, addon: str, *, applied: bool, short: list[str], error: str = "") -> bool:
    """Note what a controller saw and bring the stored status in line. Whether anything changed."""
    facts = {"applied": applied, "short": short, "error": error}
    key = f"{cluster}/{addon}"
    if context.world.store.get(ADDON_HEALTH, context.scope, key) == facts:
        return False
    context.world.store.put(ADDON_HEALTH, context.scope, key, facts)
    assess(context, cluster, addon)
    return True


def assess(context: Context, cluster: str, addon: str) -> dict[str, Any] | None:
    """Work out an add-on's status anew and store it; the row, None when it is gone."""
    key = f"{cluster}/{addon}"
    row = context.world.store.get(KIND, context.scope, key)
    if row is None or row["status"] not in _SETTLED or context.now < row["_settles_at"]:
        return row
    issues = _issues(context, row)
    if issues is None:
        return row  # its manifests are still on their way
    status = "DEGRADED" if issues else "ACTIVE"
    if row["status"] != status or row["health"]["issues"] != issues:
        row["status"] = status
        row["health"] = {"issues": issues}
        context.world.store.put(KIND, context.scope, key, row)
    return row


def assess_all(context: Context, cluster: str) -> None:
    for row in context.world.store.list(KIND, context.scope):
        if row["clusterName"] == cluster:
            assess(context, cluster, row["addonName"])


def _issues(context: Context, row: dict[str, Any]) -> list[dict[str, Any]] | None:
    cluster, addon = row["clusterName"], row["addonName"]
    scenario = context.world.faults.scenario("addon_degraded", addon=addon, cluster=cluster)
    if scenario is not None:
        code = scenario.get("code") or "InternalFailure"
        return [{"code": code, "message": scenario.get("message") or "The add-on is unhealthy.", "resourceIds": []}]
    if context.world.kube is None:
        short = bring_replicas(addon) and not _has_nodes(context, cluster)
        return [{"code": "InsufficientNumberOfReplicas", "message": _REPLICAS, "resourceIds": []}] if short else []
    facts = context.world.store.get(ADDON_HEALTH, context.scope, f"{cluster}/{addon}")
    if facts is None or not facts["applied"]:
        if facts is not None and facts["error"]:
            return [{"code": "ConfigurationConflict", "message": facts["error"], "resourceIds": []}]
        return None
    if facts["short"]:
        return [{"code": "InsufficientNumberOfReplicas", "message": _REPLICAS, "resourceIds": []}]
    return []


def _has_nodes(context: Context, cluster: str) -> bool:
    if any(node["joined"] for group in node_group.of_cluster(context, cluster) for node in node_group.nodes(context, group)):
        return True
    arn = context.arn("eks", f"cluster/{cluster}")
    return any(
        node["eks_cluster_arn"] == arn and node["status"] == "Running" for node in context.world.store.list("sagemaker.node", context.scope)
    )
