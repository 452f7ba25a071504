"""Which accounts, and what is there in them besides clusters, a caller may know of."""

from __future__ import annotations

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.reach import within
from clusters.models import AwsAccount, Cluster, Orphan
from clusters.models.quota import Quota


def visible_accounts(rows: QuerySet[AwsAccount], principal: Principal) -> QuerySet[AwsAccount]:
    """All; those that a caller is limited to; those of its clusters for one that is limited to clusters."""
    if principal.clusters is None:
        return rows
    if principal.named is None and principal.accounts is not None:
        return rows.filter(account_id__in=principal.accounts)
    return rows.filter(account_id__in=Cluster.objects.filter(name__in=principal.clusters).values("account"))


def visible_orphans(rows: QuerySet[Orphan], principal: Principal) -> QuerySet[Orphan]:
    """All; those in the accounts that a caller is limited to; those made for its clusters for one that is limited to clusters."""
    if principal.named is None and principal.accounts is not None:
        return rows.filter(account__in=principal.accounts)
    return within(rows, principal)


def visible_quotas(rows: QuerySet[Quota], principal: Principal) -> QuerySet[Quota]:
    return rows if principal.accounts is None else rows.filter(account__in=principal.accounts)
