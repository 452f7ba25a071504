"""What we last asked for, field by field, and where the world has since become another."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from clusters.choices import DriftState
from clusters.models.cluster import Cluster


class Desired(models.Model):
    """One field as we last left it. resource: "cluster", "group/<name>" or "feature/<name>".

    known: whether value says it; else an operation of ours has left it in a state that is read at the next look.
    operation_id: of the operation that asked for it; accepted: whether a person took over what another hand had made.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="desired")
    resource = models.CharField(max_length=128)
    field = models.CharField(max_length=64)
    value = models.JSONField(null=True)
    known = models.BooleanField(default=True)
    operation_id = models.UUIDField(null=True, blank=True)
    accepted = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        ordering = ["cluster", "resource", "field"]
        constraints = [models.UniqueConstraint(fields=["cluster", "resource", "field"], name="one_desired_value_of_a_field")]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.resource} {self.field}"


class DriftLook(models.Model):
    """How far the looks at one cluster's drift are.

    folded_until: operations that ended up to then are in what is desired. looked_at: when the two were last compared; skipped: why
    the last look could not compare. detected_at: when CloudFormation was last asked to compare the stacks (ClusterStack.detection).
    """

    cluster = models.OneToOneField(Cluster, on_delete=models.CASCADE, related_name="drift_look")
    folded_until = models.DateTimeField(null=True, blank=True)
    looked_at = models.DateTimeField(null=True, blank=True)
    skipped = models.CharField(max_length=300, blank=True)
    detected_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.cluster_id} looked at {self.looked_at}"


class Drift(models.Model):
    """One field that is not as we left it. source: "cluster" for HyperPod and features, "stack" for CloudFormation's own detection.

    by_whom, by_arn, changed_at, event_id, event_name: what CloudTrail says of who did it, "" while it says nothing.
    asked_at: when CloudTrail was last asked. decided_by: who accepted, ignored or reverted it.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="drifts")
    source = models.CharField(max_length=8, default="cluster")
    resource = models.CharField(max_length=255)
    field = models.CharField(max_length=255)
    desired = models.JSONField(null=True)
    observed = models.JSONField(null=True)
    physical_id = models.CharField(max_length=512, blank=True)
    state = models.CharField(max_length=10, choices=DriftState.choices, default=DriftState.OPEN)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    by_whom = models.CharField(max_length=255, blank=True)
    by_arn = models.CharField(max_length=512, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)
    event_id = models.CharField(max_length=64, blank=True)
    event_name = models.CharField(max_length=64, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["cluster", "resource", "field", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "source", "resource", "field"],
                condition=Q(state__in=[DriftState.OPEN, DriftState.IGNORED]),
                name="one_drift_of_a_field",
            )
        ]
        indexes = [models.Index(fields=["cluster", "state"])]

    def __str__(self) -> str:
        return f"{self.resource} {self.field} ({self.state})"
