"""Events that HyperPod tells of a cluster (continuous provisioning)."""

from __future__ import annotations

from django.db import models

from clusters.choices import EventLevel
from clusters.models.cluster import Cluster

EVENTS_KEPT_PER_CLUSTER = 1000


class ClusterEvent(models.Model):
    """One event, in HyperPod's own words, with our classification (`code`, `hint`) where the table knows the message."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="events")
    event_id = models.CharField(max_length=64)
    at = models.DateTimeField()
    level = models.CharField(max_length=8, choices=EventLevel.choices, default=EventLevel.INFO)
    resource_type = models.CharField(max_length=32)
    group_name = models.CharField(max_length=63, blank=True)
    instance_id = models.CharField(max_length=64, blank=True)
    description = models.TextField(blank=True)
    code = models.CharField(max_length=64, blank=True)
    hint = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [models.UniqueConstraint(fields=["cluster", "event_id"], name="one_event_of_an_id_per_cluster")]
        indexes = [models.Index(fields=["cluster", "-at"])]

    def __str__(self) -> str:
        return self.event_id
