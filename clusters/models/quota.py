"""Service quotas: how much may be had, how much is in use, what was asked for."""

from __future__ import annotations

from django.db import models


class Quota(models.Model):
    """One quota of one account and region, by its name: codes differ between sources.

    limit: what is in force. used: None where it could not be counted. instance_type: "" for a quota of no type. requested, request_status,
    request_id: of the newest request for more, in Service Quotas' words; "" and None for none.
    """

    account = models.CharField(max_length=12)
    region = models.CharField(max_length=32)
    service = models.CharField(max_length=32)
    name = models.CharField(max_length=200)
    code = models.CharField(max_length=32, blank=True)
    instance_type = models.CharField(max_length=64, blank=True)
    limit = models.FloatField()
    used = models.FloatField(null=True, blank=True)
    adjustable = models.BooleanField(default=False)
    requested = models.FloatField(null=True, blank=True)
    request_status = models.CharField(max_length=24, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    requested_at = models.DateTimeField(null=True, blank=True)
    observed_at = models.DateTimeField()

    class Meta:
        ordering = ["region", "service", "name", "id"]
        constraints = [models.UniqueConstraint(fields=["account", "region", "service", "name"], name="one_quota_of_a_name")]

    def __str__(self) -> str:
        return f"{self.name} ({self.region})"

    @property
    def pending(self) -> bool:
        """Whether AWS has not decided yet about a request."""
        return self.request_status in OPEN_REQUESTS

    @property
    def left(self) -> float | None:
        return None if self.used is None else max(0.0, self.limit - self.used)

    @property
    def near(self) -> bool:
        """Whether so much is used that the next group may not fit."""
        return self.used is not None and self.used > 0 and self.used >= NEAR * self.limit


OPEN_REQUESTS = ("PENDING", "CASE_OPENED")
NEAR = 0.8
"""Share of the limit from which on a quota is near."""
