"""The price of one instance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clusters.catalog import instance_types
from clusters.models.price import Price

PRICE_LIST, TABLE = "price list", "table"


@dataclass(frozen=True)
class Quote:
    """US dollars an hour on demand. date: since when, as AWS or our survey says. source: PRICE_LIST or TABLE."""

    per_hour: float
    region: str
    date: str
    source: str

    @property
    def note(self) -> str:
        return f"{self.region}, on demand, {self.date}"


class Book:
    """The newest prices of some regions, read once."""

    def __init__(self, regions: Iterable[str]) -> None:
        newest: dict[tuple[str, str], Price] = {}
        for row in Price.objects.filter(region__in=set(regions)).order_by("effective_at"):
            newest[row.region, row.instance_type] = row
        self._newest = newest

    def quote(self, instance_type: str, region: str = "") -> Quote | None:
        """As the function `quote`."""
        return _quote(self._newest.get((region, instance_type)), instance_type)


def quote(instance_type: str, region: str = "") -> Quote | None:
    """The newest known price in the region; without one, the table's, which is of another region perhaps and says so. None: unknown."""
    row = Price.objects.filter(region=region, instance_type=instance_type).order_by("-effective_at").first() if region else None
    return _quote(row, instance_type)


def _quote(row: Price | None, instance_type: str) -> Quote | None:
    if row is not None:
        return Quote(row.per_hour, row.region, f"{row.effective_at:%Y-%m-%d}", PRICE_LIST)
    facts = instance_types.find(instance_type)
    if facts is None or facts.price_per_hour is None:
        return None
    return Quote(facts.price_per_hour, instance_types.PRICE_REGION, instance_types.PRICE_DATE, TABLE)
