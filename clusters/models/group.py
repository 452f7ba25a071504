"""Instance groups as HyperPod describes them."""

from __future__ import annotations

from django.db import models

from clusters.models.cluster import Cluster


class InstanceGroup(models.Model):
    """One instance group. status, counts and facts are HyperPod's own; price_per_hour is US dollars for one instance.
    facts: its settings and software, see clusters.observing.nodes.group_facts."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="groups")
    name = models.CharField(max_length=63)
    instance_type = models.CharField(max_length=64)
    capacity = models.CharField(max_length=16)
    status = models.CharField(max_length=32)
    current_count = models.PositiveIntegerField(default=0)
    target_count = models.PositiveIntegerField(default=0)
    min_count = models.PositiveIntegerField(null=True, blank=True)
    price_per_hour = models.FloatField(null=True, blank=True)
    facts = models.JSONField(default=dict)
    observed_at = models.DateTimeField()

    class Meta:
        ordering = ["cluster", "name"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="one_group_of_a_name_per_cluster")]

    @property
    def missing(self) -> int:
        """Nodes that were asked for and have not come, or not yet."""
        return max(0, self.target_count - self.current_count)

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.name}"
