"""A row that one worker at a time may own."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.db import models

OFFERED = "offered"
"""`lease_owner` of a row that is enqueued and that no worker has claimed yet."""


class Leased(models.Model):
    """Columns of a lease.

    lease_owner: "" free, "offered" enqueued, else the worker that owns it. fencing_token rises by one with each change
    of owner, so whoever holds an older one can be told. pokes rises when somebody wants the row looked at again: who
    leaves the row after a poke that it has not seen leaves it due.
    """

    due_field: ClassVar[str] = "next_attempt_at"
    """Name of the column that holds when the row is due."""

    lease_owner = models.CharField(max_length=120, default="", blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    fencing_token = models.PositiveBigIntegerField(default=0)
    pokes = models.PositiveBigIntegerField(default=0)

    class Meta:
        abstract = True

    @classmethod
    def drivable(cls) -> models.Q:
        """Which rows may be owned at all, whenever they are due."""
        return models.Q()

    @classmethod
    def due(cls, at: datetime) -> models.Q:
        """Which rows are free and due at that time."""
        return cls.drivable() & models.Q(**{"lease_owner": "", f"{cls.due_field}__lte": at})
