"""The look at a cluster: every source once, rows written, the pages told when something changed."""

from __future__ import annotations

from datetime import datetime

from clusters.models import Cluster
from clusters.observing.look import look
from clusters.observing.write import mark_unreadable, write
from operations.observing import Calls, Observer, Pace, register_observer
from operations.step import Fault


@register_observer
class ClusterObserver(Observer):
    """One source a cluster; its key is the cluster's name."""

    kind = "cluster"
    calls = Calls(full=8.0, steady=1.0, moving=3.0)
    """Full: of EKS, DescribeCluster, ListAddons, and DescribeAddon for each of six. Steady: DescribeCluster alone. Moving: of SageMaker,
    DescribeCluster, ListClusterNodes and ListClusterEvents; of EKS, DescribeCluster and the add-ons that are not at rest."""

    def observe(self, key: str) -> Pace:
        row = Cluster.objects.filter(name=key).first()
        if row is None:
            return Pace.GONE
        seen = look(row)
        pace = write(row.name, seen)
        if pace is not Pace.GONE and seen.nothing_read is not None:
            raise seen.nothing_read
        return pace

    def unreadable(self, key: str, fault: Fault, since: datetime, failures: int) -> None:
        mark_unreadable(key, fault, since, failures)
