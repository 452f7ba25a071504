"""How often sources are looked at: by their pace, stretched when all of them together would exceed the rate limit."""

from __future__ import annotations

import time

from django.conf import settings
from django.db.models import Count

from operations.models import ObservedSource
from operations.models.observed_source import Pace

OBSERVERS_SHARE = 0.8
"""Share of the rate limit (AWS_RATE calls a second for each account, region and service) that observers may use up."""
REMEMBER_SECONDS = 5.0

_stretches: dict[str, tuple[float, float]] = {}


def nominal_interval(pace: str) -> float:
    """Seconds between two looks at that pace while there is room."""
    return float(settings.POLL_TRANSITION if pace == Pace.TRANSITION else settings.POLL_STEADY)


def stretched_interval(pace: str, scope: str) -> float:
    """The interval in force now: the nominal one times how far the demand of the scope exceeds its share."""
    return nominal_interval(pace) * stretch(scope)


def stretch(scope: str) -> float:
    """Demand over supply of calls in that scope, at least 1. Remembered for some seconds: it moves slowly."""
    at = time.monotonic()
    kept = _stretches.get(scope)
    if kept is not None and at - kept[0] < REMEMBER_SECONDS:
        return kept[1]
    factor = _stretch(scope)
    _stretches[scope] = (at, factor)
    return factor


def forget_stretches() -> None:
    """For tests, and for who has just changed many sources."""
    _stretches.clear()


def _stretch(scope: str) -> float:
    from operations.observing import observer_calls

    calls = observer_calls()
    demand = sum(
        row["sources"] * calls.get(row["kind"], 1.0) / nominal_interval(row["pace"])
        for row in ObservedSource.objects.filter(scope=scope).order_by().values("kind", "pace").annotate(sources=Count("id"))
    )
    return max(1.0, float(demand) / (float(settings.AWS_RATE) * OBSERVERS_SHARE))
