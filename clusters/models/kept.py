"""What an observer read earlier and need not read again at each look (clusters.reading.kept says when)."""

from __future__ import annotations

from typing import Any

from django.db import models

from clusters.models.cluster import Cluster


class KeptReading(models.Model):
    """One source's last reading, for observers alone. What is shown carries the age of the reading it comes from."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="kept_readings")
    source = models.CharField(max_length=32)
    body: models.JSONField[Any, Any] = models.JSONField()
    read_at = models.DateTimeField()

    class Meta:
        ordering = ["cluster", "source"]
        constraints = [models.UniqueConstraint(fields=["cluster", "source"], name="one_kept_reading_of_a_source_per_cluster")]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.source}"
