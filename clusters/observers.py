"""The look at a cluster: every source once, rows written, the pages told when something changed."""

from __future__ import annotations

from datetime import datetime

from clusters.choices import Seen
from clusters.models import Cluster
from clusters.observing.look import Look, look
from clusters.observing.write import mark_unreadable, write
from operations.choices import ACTIVE_STATES
from operations.observing import Observer, Pace, register_observer
from operations.step import Fault

MOVING = (Seen.CHANGING, Seen.DELETING)


@register_observer
class ClusterObserver(Observer):
    """One source a cluster; its key is the cluster's name."""

    kind = "cluster"
    calls = 8.0
    """EKS is asked most: DescribeCluster, ListAddons, and DescribeAddon for each of six."""

    def observe(self, key: str) -> Pace:
        row = Cluster.objects.filter(name=key).first()
        if row is None:
            return Pace.GONE
        seen = look(row)
        if not write(row.name, seen):
            return Pace.GONE
        if seen.nothing_read is not None:
            raise seen.nothing_read
        return pace(row, seen)

    def unreadable(self, key: str, fault: Fault, since: datetime, failures: int) -> None:
        mark_unreadable(key, fault, since, failures)


def pace(row: Cluster, seen: Look) -> Pace:
    """In transition while an operation runs, something moves, or something could not be read."""
    if row.operation_state in ACTIVE_STATES or seen.troubles or any(one.seen in MOVING for one in seen.phases.values()):
        return Pace.TRANSITION
    return Pace.STEADY
