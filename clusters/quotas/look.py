"""One look at the quotas of a region: read, then written in one transaction, then told as alerts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.urls import reverse

from clusters.catalog import reading
from clusters.models.quota import Quota
from clusters.quotas.usage import COUNTED, Used, instance_type, relevant
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import sentence
from operations import clock
from operations.alerts import AlertKind, Trouble, tell
from operations.models import Alert


@dataclass(frozen=True)
class Looked:
    """account, region: what was looked at. count: quotas seen. troubles: what could not be read, a sentence each."""

    account: str
    region: str
    count: int
    troubles: tuple[str, ...]


def look(region: str, account: str = "", *, background: bool = False) -> Looked:
    """Reads the region's quotas, their use and the requests for more. CloudError when none of the quotas could be read.

    account: "" for that of the installation's own credentials.
    """
    aws = cloud.connect(region, account, background=background)
    account = aws.identity().account
    at = clock.now()
    used = Used(aws)
    rows: list[dict[str, Any]] = []
    troubles = list(used.troubles)
    read = []
    for service in COUNTED:
        try:
            known = reading.quotas_now(aws, service)
            requests = _requests(
                list(aws.pages("service-quotas", "list_requested_service_quota_change_history", "RequestedQuotas", ServiceCode=service))
            )
        except CloudError as error:
            troubles.append(error)
            continue
        read.append(service)
        rows += [
            {
                "service": service,
                "name": quota.name,
                "code": quota.code,
                "instance_type": instance_type(quota.name),
                "limit": quota.value,
                "used": used.of(service, quota.name),
                "adjustable": quota.adjustable,
                **requests.get(quota.name, NO_REQUEST),
            }
            for quota in known.values()
            if relevant(service, quota.name)
        ]
    if not read:
        raise troubles[-1]
    with transaction.atomic():
        _write(account, region, read, rows, at)
        _tell(account, region)
    return Looked(account, region, len(rows), tuple(dict.fromkeys(sentence(error) for error in troubles)))


NO_REQUEST: dict[str, Any] = {"requested": None, "request_status": "", "request_id": "", "requested_at": None}


def _requests(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The newest request for each quota, by the quota's name."""
    newest = {item["QuotaName"]: item for item in sorted(found, key=lambda item: item["Created"])}
    return {
        name: {
            "requested": float(item["DesiredValue"]),
            "request_status": str(item["Status"]),
            "request_id": str(item["Id"]),
            "requested_at": item["Created"],
        }
        for name, item in newest.items()
    }


def _write(account: str, region: str, read: list[str], rows: list[dict[str, Any]], at: datetime) -> None:
    mine = Quota.objects.filter(account=account, region=region, service__in=read)
    if mine.filter(observed_at__gt=at).exists():
        return  # a later look was faster
    fresh = [Quota(account=account, region=region, observed_at=at, **row) for row in rows]
    changing = [field for field in rows[0] if field not in ("service", "name")] if rows else []
    Quota.objects.bulk_create(
        fresh,
        batch_size=200,
        update_conflicts=True,
        unique_fields=["account", "region", "service", "name"],
        update_fields=[*changing, "observed_at"],
    )
    mine.filter(observed_at__lt=at).delete()


def _tell(account: str, region: str) -> None:
    prefix = f"quota:{account}/{region}/"
    troubles = {f"{prefix}{row.name}": row for row in Quota.objects.filter(account=account, region=region, used__gt=0) if row.near}
    for alert in Alert.objects.filter(kind=AlertKind.QUOTA_NEAR, subject__startswith=prefix, closed_at=None):
        if alert.subject not in troubles:
            tell(AlertKind.QUOTA_NEAR, alert.subject, None)
    for subject, row in troubles.items():
        tell(AlertKind.QUOTA_NEAR, subject, _trouble(row))


def _trouble(row: Quota) -> Trouble:
    sentence = f"{row.used:g} of {row.limit:g} are in use of the quota '{row.name}' in {row.region}."
    if row.pending:
        return Trouble(sentence, f"{row.requested:g} were asked for; AWS has not decided yet.", link=reverse("clusters-web:quotas"))
    return Trouble(sentence, "Ask for more before it is needed, or give back what is not.", link=reverse("clusters-web:quotas"))
