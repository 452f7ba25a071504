"""How often sources are looked at: by their pace, stretched when all of them together would exceed the rate limit."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count

from operations.models import ObservedSource
from operations.models.observed_source import Pace

OBSERVERS_SHARE = 0.8
"""Share of the rate limit (AWS_RATE calls a second for each account, region and service) that observers may use up."""
SPARE_SHARE = 0.3
"""Share of that which stays for readings that may wait, where there is not room for all at each look."""
REMEMBER_SECONDS = 5.0


@dataclass(frozen=True)
class Calls:
    """How many calls one look makes to the service that it calls most.

    full: a look that reads everything. steady, moving: one that leaves out what may wait, at a thing at rest and at one in
    transition; what it leaves out is read every `spare_seconds`.
    """

    full: float = 1.0
    steady: float | None = None
    moving: float | None = None

    def least(self, pace: str) -> float:
        """The calls of the shortest look at that pace."""
        given = self.moving if pace == Pace.TRANSITION else self.steady
        return self.full if given is None else given


@dataclass(frozen=True)
class Load:
    """stretch: how much longer than nominal intervals are, at least 1. spare: seconds that readings which may wait do wait, 0: none."""

    stretch: float
    spare: float


_loads: dict[str, tuple[float, Load]] = {}


def nominal_interval(pace: str) -> float:
    """Seconds between two looks at that pace while there is room."""
    return float(settings.POLL_TRANSITION if pace == Pace.TRANSITION else settings.POLL_STEADY)


def stretched_interval(pace: str, scope: str) -> float:
    """The interval in force now: the nominal one times how far the demand of the scope exceeds its share."""
    return nominal_interval(pace) * stretch(scope)


def stretch(scope: str) -> float:
    """Demand over supply of calls in that scope, at least 1."""
    return load(scope).stretch


def spare_seconds(scope: str) -> float:
    """How long a reading that nothing hints at having changed may wait; 0 while there is room to read everything at each look."""
    return load(scope).spare


def load(scope: str) -> Load:
    """How loaded the scope is. Remembered for some seconds: it moves slowly."""
    at = time.monotonic()
    kept = _loads.get(scope)
    if kept is not None and at - kept[0] < REMEMBER_SECONDS:
        return kept[1]
    found = _load(scope)
    _loads[scope] = (at, found)
    return found


def forget_stretches() -> None:
    """For tests, and for who has just changed many sources."""
    _loads.clear()


def _load(scope: str) -> Load:
    from operations.observing import observer_calls

    known = observer_calls()
    supply = float(settings.AWS_RATE) * OBSERVERS_SHARE
    full = least = deferred = 0.0
    for row in ObservedSource.objects.filter(scope=scope).order_by().values("kind", "pace").annotate(sources=Count("id")):
        calls, looks = known.get(row["kind"], Calls()), row["sources"] / nominal_interval(row["pace"])
        full += looks * calls.full
        least += looks * calls.least(row["pace"])
        deferred += row["sources"] * (calls.full - calls.least(Pace.STEADY))
    if full <= supply:
        return Load(1.0, 0.0)
    if deferred <= 0:
        return Load(full / supply, 0.0)
    reserved = max(SPARE_SHARE * supply, supply - least)
    return Load(max(1.0, least / (supply - reserved)) if least else 1.0, deferred / reserved)
