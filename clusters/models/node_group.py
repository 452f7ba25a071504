"""EKS node groups as EKS describes them, with the nodes that Kubernetes has of them."""

from __future__ import annotations

from django.db import models

from clusters.models.cluster import Cluster


class NodeGroup(models.Model):
    """One group. status, counts, issues are EKS's own. capacity: on-demand, spot or capacity-block. price_per_hour: US dollars for one
    node, None when unknown. ours: whether InstantStart made it.

    nodes: [{name, instance_id, instance_type, zone, ready, schedulable, work}] of Kubernetes; None where that could not be read.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="node_groups")
    name = models.CharField(max_length=63)
    arn = models.CharField(max_length=256)
    status = models.CharField(max_length=32)
    capacity = models.CharField(max_length=16)
    instance_types = models.JSONField(default=list)
    minimum = models.PositiveIntegerField(default=0)
    maximum = models.PositiveIntegerField(default=0)
    desired = models.PositiveIntegerField(default=0)
    issues = models.JSONField(default=list)
    labels = models.JSONField(default=dict)
    subnets = models.JSONField(default=list)
    version = models.CharField(max_length=32, blank=True)
    ours = models.BooleanField(default=False)
    price_per_hour = models.FloatField(null=True, blank=True)
    nodes = models.JSONField(null=True, blank=True)
    observed_at = models.DateTimeField()

    class Meta:
        ordering = ["cluster", "name"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="one_node_group_of_a_name_per_cluster")]

    @property
    def ready_count(self) -> int | None:
        """Nodes that are Ready; None where Kubernetes could not be read."""
        return None if self.nodes is None else sum(bool(node["ready"]) for node in self.nodes)

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.name}"
