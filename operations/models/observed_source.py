"""Something outside that is looked at again and again."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models

from operations.models.leased import Leased

STALE_AFTER_INTERVALS = 2
STALE_AFTER_SECONDS = 5.0
"""What is younger is never stale: no interval, however short, makes a look quicker than AWS answers."""


def is_stale(read_at: datetime | None, interval: float | None, now: datetime) -> bool:
    """Never read, or older than twice the interval in force and than STALE_AFTER_SECONDS; the steady interval where none is known."""
    if read_at is None:
        return True
    return (now - read_at).total_seconds() > max(STALE_AFTER_SECONDS, STALE_AFTER_INTERVALS * (interval or settings.POLL_STEADY))


class Pace(models.TextChoices):
    """How often to look: what changes is looked at more often than what rests; what is gone no more."""

    TRANSITION = "transition", "In transition"
    STEADY = "steady", "Steady"
    GONE = "gone", "Gone"


class ObservedSource(Leased):
    """One source of facts: `kind` names the observer, `key` what it reads (for example a cluster's name).

    scope: what shares a rate limit ("account/region"; "" when unknown). interval: seconds between two looks that are in
    force now, stretching included. failures: looks in a row that failed; unreadable_since: the first of them.
    """

    due_field: ClassVar[str] = "next_due_at"

    kind = models.CharField(max_length=80)
    key = models.CharField(max_length=200)
    cluster = models.CharField(max_length=100, default="", blank=True)
    scope = models.CharField(max_length=120, default="", blank=True)
    pace = models.CharField(max_length=12, choices=Pace.choices, default=Pace.TRANSITION)
    interval = models.FloatField()
    next_due_at = models.DateTimeField()
    last_attempt_at = models.DateTimeField(null=True, blank=True)
    last_success_at = models.DateTimeField(null=True, blank=True)
    unreadable_since = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    last_error_code = models.CharField(max_length=120, default="", blank=True)
    last_error_message = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["kind", "key"]
        constraints = [models.UniqueConstraint(fields=["kind", "key"], name="observed_source_once")]
        indexes = [
            models.Index(fields=["lease_owner", "next_due_at"], name="observed_source_due"),
            models.Index(fields=["lease_expires_at"], name="observed_source_leased"),
            models.Index(fields=["cluster"], name="observed_source_of_cluster"),
            models.Index(fields=["scope", "kind", "pace"], name="observed_source_load"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    def stale(self, at: datetime) -> bool:
        """Whether the last look that succeeded is older than it may be."""
        return is_stale(self.last_success_at, self.interval, at)
