"""The hourly look at quotas, called by django-q2."""

from __future__ import annotations

import structlog
from django.conf import settings

from clusters.models import Cluster
from clusters.quotas.look import look
from instantstart.cloud.errors import CloudError

log = structlog.get_logger(__name__)


def regions() -> list[str]:
    """Where clusters are, and where the control plane is at home."""
    return sorted({settings.DEFAULT_REGION, *Cluster.objects.values_list("region", flat=True)})


def hourly() -> dict[str, int]:
    """Quotas seen, by region; -1 for one that could not be read: its rows keep their age."""
    seen = {}
    for region in regions():
        try:
            seen[region] = look(region, background=True).count
        except CloudError as error:
            log.warning("quotas_unreadable", region=region, code=error.code)
            seen[region] = -1
    return seen
