"""How long to wait before trying again."""

from __future__ import annotations

import random

from operations.choices import Category

FIRST_SECONDS: dict[str, float] = {Category.THROTTLED: 2.0, Category.RECOVERABLE: 1.0, Category.UNKNOWN: 2.0}
LONGEST_SECONDS = 60.0
TRIES: dict[str, int | None] = {Category.THROTTLED: None, Category.RECOVERABLE: 45, Category.UNKNOWN: 5}
"""Failures in a row after which the driver gives up; None: never. 45 recoverable ones take about 40 minutes."""


def delay(category: str, failures: int) -> float:
    """Seconds before the next try after that many failures in a row: doubling, capped, half of it random.

    The random half keeps operations that failed together from coming back together.
    """
    full = min(LONGEST_SECONDS, FIRST_SECONDS[category] * 2.0 ** min(max(failures, 1) - 1, 10))
    return full * (0.5 + random.random() / 2)  # noqa: S311  (spreads load, keeps no secret)


def spent(category: str, failures: int) -> bool:
    """Whether that many failures in a row are enough."""
    tries = TRIES[category]
    return tries is not None and failures >= tries
