"""Waiting for what observers read: nothing outside is asked here."""

from __future__ import annotations

from collections.abc import Sequence

from clusters.choices import SearchState
from clusters.models import Cluster, SearchedRegion
from clusters.sentences import listing
from clusters.steps.base import failed, ready
from operations.choices import StepState
from operations.models import ObservedSource
from operations.observing import ensure_source
from operations.step import Fault, Observation, Step, StepContext

POLL_SECONDS = 2.0


class _Waits(Step):
    def cancel(self, context: StepContext) -> Observation:
        return Observation(StepState.READY, "Nothing of this step is under way")


class RegionsSearched(_Waits):
    """Until every region was read, or could not be."""

    name = "regions-searched"
    typical_seconds = 30

    def __init__(self, regions: Sequence[str], account: str = "") -> None:
        self.regions, self.account = regions, account
        self.title = f"Search {listing(regions, 3)}"

    def observe(self, context: StepContext) -> Observation:
        rows = list(SearchedRegion.objects.filter(asked_account=self.account, region__in=self.regions))
        left = [row for row in rows if row.state in (SearchState.WAITING, SearchState.READING)]
        read, known = sum(row.read for row in rows), sum(row.clusters for row in rows)
        if not left:
            bad = [row.region for row in rows if row.state == SearchState.UNREADABLE]
            if rows and len(bad) == len(rows):
                why = "; ".join(f"{row.region}: {row.message}" for row in rows[:3])
                return failed(Fault("no_region_read", f"No region could be read. {why}", "Mend what is named, then search again."))
            tail = f"; could not be read: {listing(bad)}" if bad else ""
            return ready(f"{known} clusters of EKS and HyperPod in {len(rows) - len(bad)} regions{tail}", clusters=known, unreadable=bad)
        for row in left:
            # Asked for again in the moment in which an earlier search ended: that one took the source with it.
            if not ObservedSource.objects.filter(kind="search", key=row.key).exists():
                ensure_source("search", row.key)
        message = f"{len(rows) - len(left)} of {len(rows)} regions are read; {read} of {known} clusters are described"
        return Observation(StepState.PENDING, message, poll_seconds=POLL_SECONDS)


class FirstLooks(_Waits):
    """Until each of the imported clusters was looked at once, or could not be."""

    name = "first-looks"
    typical_seconds = 30

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.title = f"Read {listing(names, 3)}"

    def observe(self, context: StepContext) -> Observation:
        rows = Cluster.objects.filter(name__in=self.names)
        count = rows.count()
        if count == 0:
            gone = f"None of {listing(self.names, 3)} is here any more."
            return failed(Fault("cluster_gone", gone, "Import it again if it is still wanted."))
        read = rows.exclude(observed_at=None).count()
        unread = list(rows.filter(observed_at=None, failures__gt=0).order_by("name").values_list("name", flat=True))
        if read + len(unread) < count:
            return Observation(StepState.PENDING, f"{read} of {count} clusters are read", poll_seconds=POLL_SECONDS)
        tail = f"; could not be read yet: {listing(unread)}" if unread else ""
        return ready(f"{read} of {count} clusters are read{tail}", unreadable=unread)
