"""The time that leases, intervals and deadlines are reckoned by."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone


def now() -> datetime:
    """The present, aware, in UTC. One function so that a test can drive all of it."""
    return timezone.now()
