"""One phase of a cluster's creation: what was seen of it, and the operation that last worked on it."""

from __future__ import annotations

from django.db import models

from clusters.choices import PhaseName, Seen, State
from clusters.models.cluster import Cluster


class Phase(models.Model):
    """`state` is what is shown; it follows from the rest by clusters.phases.derive and is stored only for lists and filters.

    seen: last reading of AWS and Kubernetes ('' before the first). observed_at: when that reading was made.
    failures: readings in a row that failed since; unreadable: why.
    made: whether it was ever seen ready, so that its absence means `gone` and not `pending`.
    faults: [{code, message, hint}] in the words of the service at fault.
    operation_*: the last operation of this phase.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="phases")
    name = models.CharField(max_length=16, choices=PhaseName.choices)
    position = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    seen = models.CharField(max_length=12, choices=Seen.choices, blank=True)
    message = models.CharField(max_length=1000, blank=True)
    facts = models.JSONField(default=dict)
    faults = models.JSONField(default=list)
    made = models.BooleanField(default=False)
    operation_id = models.UUIDField(null=True, blank=True)
    operation_kind = models.CharField(max_length=64, blank=True)
    operation_state = models.CharField(max_length=20, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)
    observed_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    unreadable_since = models.DateTimeField(null=True, blank=True)
    unreadable = models.CharField(max_length=1000, blank=True)

    class Meta:
        ordering = ["cluster", "position"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="one_phase_of_a_name_per_cluster")]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.name}"
