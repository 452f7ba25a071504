"""Resources that were made for a cluster, as AWS lists them."""

from __future__ import annotations

from django.db import models

from clusters.choices import PhaseName
from clusters.models.cluster import Cluster


class Resource(models.Model):
    """One resource: `resource_type` in AWS's or Kubernetes' own words, `physical_id` as its API calls it.

    stack: the part of the stack of a subnet that it is in (ClusterStack.part), which is looked at once an hour; "" for what a phase lists.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="resources")
    phase = models.CharField(max_length=16, choices=PhaseName.choices)
    resource_type = models.CharField(max_length=128)
    stack = models.CharField(max_length=100, blank=True)
    physical_id = models.CharField(max_length=512)
    name = models.CharField(max_length=255, blank=True)
    status = models.CharField(max_length=64, blank=True)
    message = models.CharField(max_length=1000, blank=True)
    observed_at = models.DateTimeField()

    class Meta:
        ordering = ["cluster", "phase", "resource_type", "physical_id"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "resource_type", "physical_id", "name"], name="one_resource_of_an_id_per_cluster")
        ]

    def __str__(self) -> str:
        return f"{self.resource_type} {self.physical_id}"
