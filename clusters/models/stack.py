"""CloudFormation stacks of a cluster, as last compared, and the change set that waits for a person."""

from __future__ import annotations

from django.db import models

from clusters.models.cluster import Cluster


class ClusterStack(models.Model):
    """One stack. part: its name without what all of a cluster's have in common ("control-plane", "group-workers").

    behind: logical names of what this release would make otherwise than it is deployed. detection: CloudFormation's detection of drift
    that is under way, "" for none. change_set: ARN of the one that waits to be carried out, "" for none; reverts: whether it puts back
    what another hand has changed; changes: what it would do (clusters.stacks.change_sets.Changed, as JSON); proposed_at: when it was
    worked out.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="stacks")
    part = models.CharField(max_length=100)
    stack_id = models.CharField(max_length=512)
    status = models.CharField(max_length=64)
    behind = models.JSONField(default=list, blank=True)
    detection = models.CharField(max_length=36, blank=True)
    change_set = models.CharField(max_length=512, blank=True)
    reverts = models.BooleanField(default=False)
    changes = models.JSONField(default=list, blank=True)
    proposed_at = models.DateTimeField(null=True, blank=True)
    observed_at = models.DateTimeField()

    class Meta:
        ordering = ["cluster", "part"]
        constraints = [models.UniqueConstraint(fields=["cluster", "part"], name="one_stack_of_a_part")]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.part}"
