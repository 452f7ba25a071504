"""Reading AWS's price list: daily, and by `manage.py refresh-prices`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import structlog
from django.db import transaction
from django.utils.dateparse import parse_datetime

from clusters.models.price import Price
from clusters.quotas.schedule import regions
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from operations import clock

log = structlog.get_logger(__name__)

HOME = "us-east-1"
"""Where the price list is served, for all regions."""
_USAGE = re.compile(r"^(?:[A-Z0-9-]+-)?Cluster:(ml\.[a-z0-9.-]+xlarge|ml\.[a-z0-9.-]+\.(?:medium|large|metal))$")
"""Usage types of HyperPod's instances on demand ("USW2-Cluster:ml.p5.48xlarge"); reserved ones end otherwise."""


def refresh(region: str) -> int:
    """Reads the region's prices and keeps those that are new, beside the old. How many prices AWS gave. CloudError."""
    at = clock.now()
    aws = cloud.connect(HOME, background=True)
    filters = [{"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in (("regionCode", region), ("component", "Cluster"))]
    items = aws.pages("pricing", "get_products", "PriceList", ServiceCode="AmazonSageMaker", Filters=filters)
    rows = [Price(region=region, read_at=at, **fields) for fields in _prices(items)]
    with transaction.atomic():
        Price.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["region", "instance_type", "effective_at"],
            update_fields=["per_hour", "read_at"],
            batch_size=200,
        )
    return len(rows)


def daily() -> dict[str, int]:
    """For the schedule: prices by region; -1 where the price list could not be read: what is known stays."""
    found = {}
    for region in regions():
        try:
            found[region] = refresh(region)
        except CloudError as error:
            log.warning("prices_unreadable", region=region, code=error.code)
            found[region] = -1
    return found


def _prices(items: Iterator[Any]) -> Iterator[dict[str, Any]]:
    for item in items:
        product = json.loads(item) if isinstance(item, str) else item
        usage = _USAGE.match(str(product.get("product", {}).get("attributes", {}).get("usagetype", "")))
        if usage is None:
            continue
        for term in (product.get("terms", {}).get("OnDemand") or {}).values():
            since = parse_datetime(str(term.get("effectiveDate", "")))
            dollars = _hourly(term)
            if since is not None and dollars is not None:
                yield {"instance_type": usage[1], "per_hour": dollars, "effective_at": since}


def _hourly(term: dict[str, Any]) -> float | None:
    """US dollars an hour; None for what is billed otherwise. Nothing costs 0: such an entry is no price."""
    for dimension in (term.get("priceDimensions") or {}).values():
        dollars = (dimension.get("pricePerUnit") or {}).get("USD")
        if dimension.get("unit") in ("Hrs", "Hours", "hours") and dollars and float(dollars) > 0:
            return float(dollars)
    return None
