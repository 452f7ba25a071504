"""The hourly sweep: what is nobody's, and what is not there, as rows."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import structlog
from django.conf import settings
from django.db import transaction

from clusters.choices import Origin, OrphanKind, State
from clusters.models import Cluster, Orphan
from clusters.orphans import kinds
from clusters.orphans.reading import Tagged, claimed, read_region, read_roles, unclaimed
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from operations import clock

log = structlog.get_logger(__name__)

IN_FULL = (State.READY, State.DEGRADED)
"""States of clusters that have been seen to be there."""


def hourly() -> int:
    """Sweeps every account and region that we know something of. How many orphans there are."""
    done: set[tuple[str, str]] = set()
    for account, region in places():
        try:
            sweep(region, account, done)
        except CloudError as error:
            # What can't be read is neither there nor gone: the rows stay as they are.
            log.warning("orphans_unreadable", account=account, region=region, code=error.code, operation=error.operation)
    return Orphan.objects.count()


def places() -> list[tuple[str, str]]:
    """Account ("" for that of the installation's own credentials) and region of all that we know something of."""
    found = {("", settings.DEFAULT_REGION), *Cluster.objects.values_list("account", "region")}
    return sorted(found | set(Orphan.objects.exclude(region="").values_list("account", "region")))


def sweep(region: str, account: str = "", done: set[tuple[str, str]] | None = None, *, roles: bool = True) -> str:
    """One region of an account, and the account's roles unless they were read before. CloudError, with nothing written.

    done: (account, region) of what this round has swept, "" as the region of roles. Answers the account's digits.
    """
    done = set() if done is None else done
    aws = cloud.connect(region, account, background=True)
    at = clock.now()
    account = aws.identity().account
    if (account, region) in done:
        return account
    found = read_region(aws)
    of_roles = read_roles(aws) if roles and (account, "") not in done else None
    done |= {(account, region), (account, "")}
    # Known is read after AWS: a cluster that was made meanwhile is known by then.
    known = claimed()
    with transaction.atomic():
        everything = [*found, *(of_roles or ())]
        orphans = list(unclaimed(everything, known))
        _keep(account, region, [one for one in orphans if not _is_role(one)], at)
        if of_roles is not None:
            _keep(account, "", [one for one in orphans if _is_role(one)], at)
        _missing(account, region, {one.arn for one in found}, at)
    return account


def _is_role(one: Tagged) -> bool:
    return kinds.parts(one.arn)[0] == kinds.ROLE


def _keep(account: str, region: str, orphans: Iterable[Tagged], at: datetime) -> None:
    seen = []
    for one in orphans:
        kind, _ = kinds.parts(one.arn)
        way = kinds.WAYS.get(kind)
        _note(
            OrphanKind.UNCLAIMED,
            one.arn,
            at,
            resource_type=kind,
            name=kinds.shown_name(one.arn)[:255],
            account=account,
            region=region,
            cluster=one.cluster,
            operation=one.tags.get("instantstart:operation", ""),
            cost_per_hour=way.cost if way is not None else None,
        )
        seen.append(one.arn)
    Orphan.objects.filter(kind=OrphanKind.UNCLAIMED, account=account, region=region).exclude(arn__in=seen).delete()


def _missing(account: str, region: str, there: set[str], at: datetime) -> None:
    """Clusters that were seen whole and of which AWS lists something no longer."""
    rows = Cluster.objects.filter(region=region, account__in=(account, ""), state__in=IN_FULL, observed_at__lt=at)
    rows = rows.exclude(origin=Origin.IMPORTED)  # what was imported does not carry our tags
    gone = []
    for row in rows:
        for kind, arn in (("eks:cluster", row.eks_arn), ("sagemaker:cluster", row.hyperpod_arn)):
            if arn and arn not in there:
                _note(OrphanKind.MISSING, arn, at, resource_type=kind, name=row.name, account=account, region=region, cluster=row.name)
                gone.append(arn)
    Orphan.objects.filter(kind=OrphanKind.MISSING, account=account, region=region).exclude(arn__in=gone).delete()


def _note(kind: OrphanKind, arn: str, at: datetime, **values: object) -> None:
    row, made = Orphan.objects.get_or_create(kind=kind, arn=arn, defaults={"first_seen": at, "last_seen": at, **values})
    if not made:
        row.last_seen = at
        for name, value in values.items():
            setattr(row, name, value)
        row.save()
