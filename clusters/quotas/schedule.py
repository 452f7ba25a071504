"""The hourly look at quotas, called by django-q2."""

from __future__ import annotations

import structlog
from django.conf import settings

from clusters.models import Cluster
from clusters.quotas.look import look
from instantstart import cloud
from instantstart.cloud.errors import CloudError

log = structlog.get_logger(__name__)


def regions() -> list[str]:
    """Where clusters are, and where the control plane is at home."""
    return sorted({settings.DEFAULT_REGION, *Cluster.objects.values_list("region", flat=True)})


def places() -> list[tuple[str, str]]:
    """Accounts and regions to look at: where clusters are, and "" for the installation's own account at home."""
    return sorted({("", settings.DEFAULT_REGION), *Cluster.objects.values_list("account", "region")})


def hourly() -> dict[str, int]:
    """Quotas seen, by account and region; -1 for one that could not be read: its rows keep their age."""
    seen: dict[str, int] = {}
    for account, region in places():
        try:
            known = cloud.connect(region, account, background=True).identity().account  # an account and its own "" are looked at once
            if f"{known}/{region}" not in seen:
                seen[f"{known}/{region}"] = look(region, account, background=True).count
        except CloudError as error:
            log.warning("quotas_unreadable", account=account, region=region, code=error.code)
            seen[f"{account}/{region}"] = -1
    return seen
