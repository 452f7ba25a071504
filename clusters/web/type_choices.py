"""Instance types as a form offers them: what is in one, and what an hour of it costs there."""

from __future__ import annotations

from clusters.catalog.instance_types import INSTANCE_TYPES, InstanceType
from clusters.prices.quote import Book


def type_choices(region: str) -> list[tuple[str, str]]:
    """Name and words of each type that is described, with the newest price that is known for the region. One query."""
    book = Book([region])
    quotes = {name: book.quote(name, region) for name in INSTANCE_TYPES}
    return [(fact.name, _words(fact, quote.per_hour if (quote := quotes[fact.name]) else None)) for fact in INSTANCE_TYPES.values()]


def _words(fact: InstanceType, per_hour: float | None) -> str:
    """ "ml.p5.48xlarge: $66.05/h, 8 × H100 80 GB, 192 vCPU, 2048 GiB": the price first, for a narrow box cuts the end off."""
    parts = [f"${per_hour:,.2f}/h" if per_hour is not None else "price unknown"]
    if fact.accelerator and fact.accelerators:
        parts.append(f"{fact.accelerators} × {fact.accelerator} {fact.accelerator_gb} GB")
    parts += [f"{fact.vcpus} vCPU", f"{fact.memory_gib:g} GiB"]
    return f"{fact.name}: {', '.join(parts)}"
