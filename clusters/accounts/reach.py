"""Which accounts, and what is there in them besides clusters, a caller may know of."""

from __future__ import annotations

import re
from typing import TypeVar

from django.conf import settings
from django.db.models import Q, QuerySet

from accounts.principal import Principal
from accounts.reach import within
from clusters.models import AwsAccount, Cluster, FoundCluster, Orphan, SearchedRegion
from clusters.models.quota import Quota
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import problem
from instantstart.problem import FieldError, Problem

OWN = "that of the installation's own credentials"
F = TypeVar("F", FoundCluster, SearchedRegion)


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


def visible_found(rows: QuerySet[F], principal: Principal) -> QuerySet[F]:
    """What searches found: all; that in the accounts that a caller is limited to; nothing for one that is limited to clusters."""
    if principal.clusters is None:
        return rows
    if principal.named is not None or principal.accounts is None:
        return rows.none()
    return rows.filter(account__in=principal.accounts)


def asked_account(named: str, principal: Principal) -> str:
    """Digits of the account of that name or of those digits; "" for that of the installation's own credentials, when nothing is named.

    Problem 400 for one that the caller can't know of, 403 where the own one is not for the caller, 502 or 503 where AWS does not say
    which that is.
    """
    if not named and principal.accounts is None:
        return ""
    row = visible_accounts(AwsAccount.objects.filter(Q(name=named) | Q(account_id=named)), principal).first() if named else None
    if row is not None:
        return row.account_id
    if not named or re.fullmatch(r"[0-9]{12}", named):
        own = _own()
        if named in ("", own) and principal.may_use(own):
            return named
    if not named:
        detail = f"No account is named, and {principal.limited} limited to others than {OWN}."
        raise Problem(403, "account_not_allowed", "Account not allowed", detail, "Send account: one of /api/v1/accounts/, or its digits.")
    error = FieldError("account", "unknown_account", f"There is no AWS account {named}.", "Send one of /api/v1/accounts/, or its digits.")
    raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])


def _own() -> str:
    try:
        return cloud.connect(settings.DEFAULT_REGION).identity().account
    except CloudError as error:
        raise problem(error) from error


def account_choices(principal: Principal) -> list[tuple[str, str]]:
    """What a page offers: digits and words. "" stands for that of the installation's own credentials."""
    names = dict(visible_accounts(AwsAccount.objects.all(), principal).values_list("account_id", "name"))
    others = sorted((digits, f"{name} ({digits})") for digits, name in names.items())
    if principal.accounts is None:
        return [("", OWN), *others]
    return [*others, *((digits, digits) for digits in sorted(principal.accounts - set(names)))]
