"""The run rate: what everything costs an hour now, by cluster, group and owner. What is unknown is said, and never counted as 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count

from accounts.principal import Principal
from accounts.reach import within
from clusters.catalog.cost import CostLine, instances_at
from clusters.models import Cluster, NodeGroup, Resource
from clusters.node_groups import prices
from clusters.observing.cost import BILLED
from clusters.prices import Book

NAMES = {"AWS::EKS::Cluster": "EKS control plane", "AWS::EC2::NatGateway": "NAT gateway", "AWS::EC2::EIP": "public IPv4 address"}


@dataclass(frozen=True)
class Part:
    """One line of a cluster. per_hour: None when unknown; note: where the number comes from, or why there is none."""

    name: str
    what: str
    per_hour: float | None
    note: str
    capacity: str = ""


@dataclass
class Sum:
    """known: US dollars an hour of what is known; unknown: names of what is not."""

    known: float = 0.0
    unknown: list[str] = field(default_factory=list)

    def add(self, name: str, per_hour: float | None) -> None:
        if per_hour is None:
            self.unknown.append(name)
        else:
            self.known = round(self.known + per_hour, 4)

    @property
    def per_hour(self) -> float | None:
        """All of it; None as soon as a part is not known."""
        return None if self.unknown else self.known


@dataclass
class ClusterRate:
    name: str
    region: str
    account: str
    owner: str
    observed_at: datetime | None
    parts: list[Part]
    total: Sum


@dataclass
class Rate:
    clusters: list[ClusterRate] = field(default_factory=list)
    owners: dict[str, Sum] = field(default_factory=dict)
    total: Sum = field(default_factory=Sum)


def rate(principal: Principal, *, cluster: str = "", owner: str = "") -> Rate:
    """Of every cluster in the principal's reach, or of one, or of those that one user made. As many queries for many as for few."""
    rows = within(Cluster.objects.order_by("name").prefetch_related("groups", "node_groups"), principal, "name")
    if cluster:
        rows = rows.filter(name=cluster)
    if owner:
        rows = rows.filter(created_by=owner)
    clusters = list(rows)
    book = Book(row.region for row in clusters)
    billed = _billed(clusters)
    found = Rate()
    for row in clusters:
        one = _of_cluster(row, billed.get(row.pk, {}), book)
        found.clusters.append(one)
        for sums in (found.owners.setdefault(one.owner, Sum()), found.total):
            sums.known = round(sums.known + one.total.known, 4)
            sums.unknown += [f"{one.name}: {name}" for name in one.total.unknown]
    return found


def _billed(clusters: Iterable[Cluster]) -> dict[int, dict[str, int]]:
    """How many resources that are billed by the hour each cluster has, by type."""
    found: dict[int, dict[str, int]] = {}
    counted = (
        Resource.objects.filter(cluster__in=[row.pk for row in clusters], resource_type__in=BILLED, phase="control_plane")
        .values_list("cluster_id", "resource_type")
        .annotate(count=Count("pk"))
        .order_by()
    )
    for cluster, kind, count in counted:
        found.setdefault(cluster, {})[kind] = count
    return found


def _of_cluster(row: Cluster, billed: dict[str, int], book: Book) -> ClusterRate:
    parts = [_resource(kind, billed[kind]) for kind in BILLED if kind in billed]
    parts += [
        _part(
            group.name,
            group.capacity,
            instances_at(group.instance_type, group.current_count, group.capacity, book.quote(group.instance_type, row.region)),
        )
        for group in row.groups.all()
    ]
    parts += [_node_group(row, group) for group in row.node_groups.all()]
    total = Sum()
    for part in parts:
        total.add(part.name, part.per_hour)
    if row.observed_at is None:
        total.add("not seen yet", None)
    return ClusterRate(row.name, row.region, row.account, row.created_by, row.observed_at, parts, total)


def _resource(kind: str, count: int) -> Part:
    return Part(NAMES[kind], f"{count} × {NAMES[kind]}", round(count * BILLED[kind], 4), "AWS's price list")


def _node_group(row: Cluster, group: NodeGroup) -> Part:
    known = prices.per_hour(group.instance_types, group.desired, group.capacity, row.region)
    what = f"{group.desired} × {' or '.join(group.instance_types)}"
    return Part(f"EKS {group.name}", what, known, "us-east-1's price list" if known is not None else "not in the table", group.capacity)


def _part(name: str, capacity: str, line: CostLine) -> Part:
    return Part(name, line.what, line.per_hour, line.note, capacity)
