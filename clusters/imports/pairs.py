"""What was found, put together: each EKS cluster with the HyperPod cluster on it, and with our row where it is here already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clusters.choices import SearchState
from clusters.models import Cluster, FoundCluster, FoundHyperPod, SearchedRegion


@dataclass(frozen=True)
class Pair:
    """hyperpod: the HyperPod cluster that names this EKS cluster as its orchestrator. here: our row, None while it is not imported.

    doubt: why it can't be told what there is, so that it can't be imported; "" when all is known.
    """

    eks: FoundCluster
    hyperpod: FoundHyperPod | None
    here: Cluster | None
    doubt: str = ""

    @property
    def node_count(self) -> int | None:
        """How many nodes HyperPod is to have; None without one."""
        if self.hyperpod is None:
            return None
        return sum(int(group.get("TargetCount", 0)) for group in self.hyperpod.body.get("InstanceGroups") or ())

    @property
    def changed(self) -> bool:
        """Whether the row here does not know the HyperPod cluster that is there now."""
        return self.here is not None and self.here.imported and self.hyperpod_name != self.here.hyperpod

    @property
    def hyperpod_name(self) -> str:
        return self.hyperpod.name if self.hyperpod is not None else ""


def pairs(found: Iterable[FoundCluster]) -> list[Pair]:
    """In their order. Four queries, however many."""
    rows = list(found)
    regions = {row.region for row in rows}
    on: dict[str, list[FoundHyperPod]] = {}
    for hyperpod in FoundHyperPod.objects.filter(orchestrator__in=[row.arn for row in rows if row.arn]):
        on.setdefault(hyperpod.orchestrator, []).append(hyperpod)
    here = {(row.account, row.region, row.eks): row for row in Cluster.objects.filter(region__in=regions)}
    unread = _unread(regions)
    return [_pair(row, on.get(row.arn, ()) if row.arn else (), here.get((row.account, row.region, row.name)), unread) for row in rows]


def _unread(regions: set[str]) -> dict[tuple[str, str], str]:
    """Accounts and regions of whose HyperPod clusters not all are known: one of those may be on any EKS cluster there.

    "" as the account: it is not known yet whose the region is that waits.
    """
    places = ("account", "region")
    waiting = {
        (account, region): f"the HyperPod clusters of {region} are not all read yet"
        for account, region in FoundHyperPod.objects.filter(region__in=regions, read_at=None).values_list(*places)
    }
    busy = SearchedRegion.objects.filter(region__in=regions, state=SearchState.WAITING).values_list(*places)
    problems = {
        (row.account, row.region): f"the HyperPod cluster {row.name} could not be read: {row.problem}"
        for row in FoundHyperPod.objects.filter(region__in=regions).exclude(problem="")
    }
    return {**{(account, region): f"{region} waits to be read" for account, region in busy}, **waiting, **problems}


def _pair(row: FoundCluster, on: Sequence[FoundHyperPod], here: Cluster | None, unread: dict[tuple[str, str], str]) -> Pair:
    doubt = ""
    if row.problem:
        doubt = f"it could not be read: {row.problem}"
    elif row.read_at is None:
        doubt = "it was listed and is not read yet"
    elif not on:
        doubt = unread.get((row.account, row.region)) or unread.get(("", row.region), "")
    elif len(on) > 1:
        doubt = f"more than one HyperPod cluster is on it: {', '.join(sorted(one.name for one in on))}"
    return Pair(row, on[0] if len(on) == 1 else None, here, doubt)
