"""The watch cache of a cluster's nodes and pods, or why there is none."""

from __future__ import annotations

from datetime import datetime, timedelta

from clusters.diagnosis.evidence import quoted
from clusters.diagnosis.gathering.part import Part, PartState
from clusters.models import Cluster
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.kube import cache
from instantstart.kube.cache import ClusterCache, Snapshot
from instantstart.kube.target import KubeTarget

PATIENCE = 4.0
"""Seconds to wait for the first list of a cluster that nobody looked at for a while."""


def watch(row: Cluster, name: str) -> ClusterCache | Part:
    """The cluster's cache, started where it was not. A Part of that name where nothing can be watched. No call is made."""
    if not row.endpoint:
        reason = "EKS has told no address of a Kubernetes API: there is none, or none yet."
        return Part(name, PartState.ABSENT, row.observed_at, reason)
    try:
        role = cloud.connect(row.region, row.account).role
    except CloudError as error:
        return Part(name, PartState.UNREADABLE, None, quoted(error.message))
    return cache.of(KubeTarget(row.eks, row.region, row.endpoint, row.ca_data, row.account, role))


def part(name: str, snapshot: Snapshot, now: datetime) -> Part:
    """How fresh what the cache knows is."""
    heard = now - timedelta(seconds=snapshot.age) if snapshot.age is not None else None
    if not snapshot.complete:
        return Part(name, PartState.UNREADABLE, None, quoted(snapshot.error or "Kubernetes has not answered yet: ask again."))
    if snapshot.error:
        return Part(name, PartState.STALE, heard, quoted(snapshot.error))
    return Part(name, PartState.READ, heard)
