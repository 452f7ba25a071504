"""Operations that would meet on one group or one node: one at a time. Decided under the lock of the cluster's row."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network
from typing import Any

from clusters import state
from operations.conflict import in_progress
from operations.models import Operation
from operations.models.operation import LOCKING_STATES

ENDS = ("cluster.delete", "cluster.forget")
"""Operations after which there is no cluster here."""
WHOLE = ("cluster.create", *ENDS)
"""Operations that concern every group."""
PLACING = ("group.add", "group.replace")
"""Operations that make subnets: their plans' basis names them."""
PARTS = ("group.", "node.", "node_group.", "cluster.update", "feature.", "stack.", "drift.revert")
"""What the kinds of operations begin with that change a part of a cluster."""


def refuse_overlap(cluster: str, operation: Operation) -> None:
    """Problem 409 when an operation that has not ended works on one of the groups or nodes of this one's plan."""
    if state.locked(cluster) is None:
        return
    mine, ranges = _claims(operation), _ranges(operation)
    for other in Operation.objects.filter(cluster=cluster, state__in=LOCKING_STATES).exclude(pk=operation.pk):
        if other.kind in WHOLE:
            raise in_progress(other, f"the whole cluster {cluster}")
        theirs = _claims(other)
        shared = sorted((mine["groups"] & theirs["groups"]) | (mine["nodes"] & theirs["nodes"]))
        if shared:
            raise in_progress(other, ", ".join(shared))
        met = sorted(str(one) for one in _ranges(other) if any(one.overlaps(own) for own in ranges))
        if met:
            raise in_progress(other, ", ".join(met))


def refuse_beside_parts(cluster: str) -> None:
    """Problem 409 when a part of the cluster is being changed, or waits for a yes: for what ends the cluster as a whole.

    What such a change makes after its kind was taken away, a role or a stack, would be left behind; and a person who
    cancels it sees how far it came.
    """
    state.locked(cluster)
    locking = Operation.objects.filter(cluster=cluster, state__in=LOCKING_STATES).order_by("created_at")
    other = next((one for one in locking if one.kind.startswith(PARTS)), None)
    if other is not None:
        raise in_progress(other, f"a part of {cluster}")


def ranges_at_work(cluster: str) -> list[IPv4Network]:
    """Address ranges that operations under way are about to take."""
    at_work = Operation.objects.filter(cluster=cluster, state__in=LOCKING_STATES, kind__in=PLACING)
    return [one for operation in at_work for one in _ranges(operation)]


def _ranges(operation: Operation) -> list[IPv4Network]:
    basis: dict[str, Any] = (operation.plan or {}).get("basis") or {}
    return [IPv4Network(one["cidr"]) for one in basis.get("networks") or ()] if operation.kind in PLACING else []


def _claims(operation: Operation) -> dict[str, set[str]]:
    basis: dict[str, Any] = (operation.plan or {}).get("basis") or {}
    if not operation.kind.startswith(PARTS):
        return {"groups": set(), "nodes": set()}
    return {"groups": _names(basis.get("groups")), "nodes": _names(basis.get("nodes"))}


def _names(found: Iterable[Any] | None) -> set[str]:
    return {str(name) for name in found or ()}
