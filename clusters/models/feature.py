"""Managed features, as observed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.utils import timezone

from clusters.choices import FeatureState
from clusters.models.cluster import Cluster
from operations.models.observed_source import is_stale

if TYPE_CHECKING:
    from datetime import datetime


class ClusterFeature(models.Model):
    """One managed feature of one cluster. Nothing is remembered as "enabled": every field but the operation's is the last reading.

    seen: the state at the last reading that succeeded; state: what is shown, unknown when it can't be read twice in a row.
    settings: what can be chosen, as it is now. faults: health issues, [{code, message, hint}]. parts: [{key, resource_type, name,
    state, message, version}]. observed_at: when it was read; identities_observed_at: when its IAM roles were, where that was earlier.
    operation_id: of the last operation on it.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="features")
    name = models.CharField(max_length=40)
    position = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=12, choices=FeatureState.choices, default=FeatureState.UNKNOWN)
    seen = models.CharField(max_length=12, choices=FeatureState.choices, blank=True)
    message = models.CharField(max_length=1000, blank=True)
    version = models.CharField(max_length=64, blank=True)
    source = models.CharField(max_length=32, blank=True)
    settings = models.JSONField(default=dict)
    faults = models.JSONField(default=list)
    parts = models.JSONField(default=list)
    waits_for_nodes = models.BooleanField(default=False)
    operation_id = models.UUIDField(null=True, blank=True)
    observed_at = models.DateTimeField(null=True, blank=True)
    identities_observed_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    unreadable = models.CharField(max_length=1000, blank=True)
    unreadable_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["cluster", "position"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="one_feature_of_a_name_per_cluster")]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.name}"

    @property
    def stale(self) -> bool:
        """Whether the last look is older than it may be, by the cluster's interval."""
        return self.stale_at(timezone.now())

    def stale_at(self, now: datetime) -> bool:
        return is_stale(self.observed_at, self.cluster.interval, now)
