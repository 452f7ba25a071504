"""Which accounts a caller may know of."""

from __future__ import annotations

from django.db.models import QuerySet

from accounts.principal import Principal
from clusters.models import AwsAccount, Cluster


def visible_accounts(rows: QuerySet[AwsAccount], principal: Principal) -> QuerySet[AwsAccount]:
    """All; those that a caller is limited to; those of its clusters for one that is limited to clusters."""
    if principal.clusters is None:
        return rows
    if principal.named is None and principal.accounts is not None:
        return rows.filter(account_id__in=principal.accounts)
    return rows.filter(account_id__in=Cluster.objects.filter(name__in=principal.clusters).values("account"))
