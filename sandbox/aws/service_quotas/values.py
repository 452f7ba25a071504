"""Applied quota values: the catalogue's, or what an approved request made of them. Other services enforce by these."""

from __future__ import annotations

from sandbox.aws.context import Context
from sandbox.aws.service_quotas import catalog

_KIND = "_service-quotas.value"  # scope: account/region, key: service/code


def value_of(context: Context, service: str, code: str) -> float | None:
    """The value in force in this account and region; None for a quota that the catalogue does not have."""
    quota = catalog.find(service, code)
    if quota is None:
        return None
    stored = context.world.store.get(_KIND, context.scope, f"{service}/{code}")
    return quota.value if stored is None else float(stored["value"])


def set_value(context: Context, service: str, code: str, value: float) -> None:
    context.world.store.put(_KIND, context.scope, f"{service}/{code}", {"value": value})
