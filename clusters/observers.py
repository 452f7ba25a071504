"""The look at a cluster: every source once, rows written, the pages told when something changed."""

from __future__ import annotations

from datetime import datetime

from clusters.imports.search import search, unreadable
from clusters.models import Cluster, SearchedRegion
from clusters.observing.look import look
from clusters.observing.write import mark_unreadable, write
from clusters.reading.reader import READ_ERRORS
from operations import errors
from operations.choices import Category
from operations.observing import Calls, Observer, Pace, poke, register_observer
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


@register_observer
class SearchObserver(Observer):
    """The search for clusters in one region; its key is that, after the digits of a further account and a slash.

    It ends when everything was read, or when AWS refuses for good.
    """

    kind = "search"
    calls = Calls(full=0.0)
    """It waits for its turn in the rate limit at each call, and ends: intervals need not stretch for it."""

    def observe(self, key: str) -> Pace:
        row = _searched(key)
        if row is None:
            return Pace.GONE
        try:
            done = search(row)
        except READ_ERRORS as error:
            fault = errors.classify(error)
            if fault.category is not Category.TERMINAL:
                raise
            unreadable(row, f"{fault.message} {fault.hint}".strip())
            return Pace.GONE
        if not done:
            poke(self.kind, key)
            return Pace.TRANSITION
        # Asked again meanwhile: once more.
        return Pace.GONE if SearchedRegion.objects.filter(pk=row.pk, asked_at=row.asked_at).exists() else Pace.TRANSITION

    def unreadable(self, key: str, fault: Fault, since: datetime, failures: int) -> None:
        row = _searched(key)
        if row is not None:
            unreadable(row, f"{fault.message} {fault.hint} It is tried again.".strip())


def _searched(key: str) -> SearchedRegion | None:
    account, _, region = key.rpartition("/")
    return SearchedRegion.objects.filter(asked_account=account, region=region).first()
