"""What the controllers note about a cluster (sandbox/kube/controllers): kinds whose keys are the cluster's name, or begin with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.aws.context import Context

ADDON_HEALTH = "_eks.addon-health"
ADDON_APPLIED = "_eks.addon-applied"
NODE_TOLD = "_eks.node-told"
PLUGGED = "_eks.plugged"
KARPENTER = "_eks.karpenter"


def forget(context: Context, cluster: str) -> None:
    """Drop all of it: the cluster is gone."""
    for kind in (ADDON_HEALTH, ADDON_APPLIED, NODE_TOLD, PLUGGED, KARPENTER):
        for key in context.world.store.keys(kind, context.scope):
            if key.partition("/")[0] == cluster:
                context.world.store.delete(kind, context.scope, key)
