"""Which rows are within a principal's reach; and which clusters are in which AWS accounts, asked of whoever knows clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

from accounts.principal import Principal

M = TypeVar("M", bound=Model)
_lookup: Callable[[frozenset[str]], frozenset[str]] | None = None


def provide(lookup: Callable[[frozenset[str]], frozenset[str]]) -> None:
    """Says who knows the names of the clusters in accounts, by their twelve digits."""
    global _lookup
    _lookup = lookup


def clusters_in(accounts: frozenset[str]) -> frozenset[str]:
    """Names of the clusters in these accounts; none where nobody knows."""
    return _lookup(accounts) if _lookup is not None else frozenset()


def within(rows: QuerySet[M], principal: Principal, field: str = "cluster") -> QuerySet[M]:
    """Those about clusters that the principal may know of. field: holds the cluster's name."""
    return rows if principal.clusters is None else rows.filter(**{f"{field}__in": principal.clusters})


def within_or_own(rows: QuerySet[M], principal: Principal, field: str = "cluster", actor: str = "actor") -> QuerySet[M]:
    """As `within`; and, of who is limited to AWS accounts alone, what they themselves asked for that is about no cluster."""
    if principal.clusters is None or principal.named is not None:
        return within(rows, principal, field)
    return rows.filter(Q(**{f"{field}__in": principal.clusters}) | Q(**{field: "", actor: principal.user}))
