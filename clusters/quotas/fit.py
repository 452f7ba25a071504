"""What a planned group would take of the quotas, by the rows that were observed."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from clusters.catalog import quotas
from clusters.models.quota import Quota
from clusters.spec import Capacity


@dataclass(frozen=True)
class Fit:
    """One quota. more: what the group takes of it. fits: None where the limit or what is in use is not known."""

    name: str
    quota: Quota | None
    more: int
    fits: bool | None


def fits(known: QuerySet[Quota], instance_type: str, count: int, capacity: Capacity) -> list[Fit]:
    """Every quota that so many instances of the type would meet. known: the quotas of one account and region."""
    names = [quotas.INSTANCES_PER_CLUSTER, quotas.INSTANCES_ALL_CLUSTERS]
    if capacity is Capacity.ON_DEMAND:
        names.append(quotas.cluster_usage(instance_type))
    if capacity is Capacity.SPOT:
        names += [quotas.cluster_spot_usage(instance_type), quotas.SPOT_ALL_CLUSTERS]
    rows = {row.name: row for row in known.filter(service="sagemaker", name__in=names)}
    return [_fit(name, rows.get(name), count) for name in names]


def _fit(name: str, row: Quota | None, more: int) -> Fit:
    # The quota of one cluster is met by this group alone where it is a new cluster's.
    used = 0.0 if name == quotas.INSTANCES_PER_CLUSTER else row.used if row is not None else None
    return Fit(name, row, more, None if row is None or used is None else used + more <= row.limit)
