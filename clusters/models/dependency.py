"""What the cluster needs inside: EKS add-ons and Helm releases, as observed."""

from __future__ import annotations

from django.db import models

from clusters.choices import DependencyKind, DependencyState
from clusters.models.cluster import Cluster


class Dependency(models.Model):
    """One dependency. Nothing here is remembered as "configured": every field is the last reading."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="dependencies")
    name = models.CharField(max_length=64)
    kind = models.CharField(max_length=8, choices=DependencyKind.choices)
    state = models.CharField(max_length=16, choices=DependencyState.choices)
    status = models.CharField(max_length=32, blank=True)
    """In the words of EKS or Helm."""
    version = models.CharField(max_length=64, blank=True)
    message = models.CharField(max_length=1000, blank=True)
    faults = models.JSONField(default=list)
    wanted = models.BooleanField(default=True)
    pods = models.PositiveIntegerField(null=True, blank=True)
    ready_pods = models.PositiveIntegerField(null=True, blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    observed_at = models.DateTimeField()

    class Meta:
        ordering = ["cluster", "position"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="one_dependency_of_a_name_per_cluster")]
        verbose_name_plural = "dependencies"

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.name}"
