"""What carries our tags and belongs to nothing we know, and what we know of and is not there."""

from __future__ import annotations

from django.db import models

from clusters.choices import OrphanKind


class Orphan(models.Model):
    """One resource. name: as its API calls it. cluster, operation: what its tags say it was made for and by.

    region: "" for what belongs to an account alone. cost_per_hour: US dollars, None when unknown. The row goes with the resource.
    """

    kind = models.CharField(max_length=10, choices=OrphanKind.choices, default=OrphanKind.UNCLAIMED)
    arn = models.CharField(max_length=512)
    resource_type = models.CharField(max_length=64)
    name = models.CharField(max_length=255)
    account = models.CharField(max_length=12)
    region = models.CharField(max_length=32, blank=True)
    cluster = models.CharField(max_length=100, blank=True)
    operation = models.CharField(max_length=64, blank=True)
    cost_per_hour = models.FloatField(null=True, blank=True)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    class Meta:
        ordering = ["first_seen", "arn"]
        constraints = [models.UniqueConstraint(fields=["kind", "arn"], name="one_orphan_of_an_arn")]

    def __str__(self) -> str:
        return f"{self.resource_type} {self.name}"
