"""The cluster: what was asked for, and what was last seen of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils import timezone

from clusters.choices import Origin, State
from operations.models.observed_source import is_stale

if TYPE_CHECKING:
    from datetime import datetime


class Cluster(models.Model):
    """One EKS cluster and the HyperPod cluster on it. The row goes when AWS holds nothing of it any more, or when it is forgotten.

    name: ours, unique here. eks_name, hyperpod_name: what AWS calls them; hyperpod_name is "" where an imported cluster has none. A
    cluster that was made here has one name for all three. adopted_at: since when an imported one may be changed from here.

    spec: the resolved input (clusters.resolved.ResolvedSpec as JSON). given: what the person gave (clusters.spec.ClusterInput).
    state: derived from the phases (clusters.phases.derive); never set by an action's wish.
    observed_at: when the world was last read, even in part; interval: seconds between two looks now in force, which is the
    time that the last two were apart where that is longer than what is aimed at.
    unreadable_since: since when nothing could be read; unreadable: the sentence that says why.
    cost_per_hour: US dollars for what exists now, None when a price is unknown.
    """

    name = models.CharField(max_length=40, unique=True)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.CREATED)
    eks_name = models.CharField(max_length=100, blank=True)
    hyperpod_name = models.CharField(max_length=63, blank=True)
    adopted_at = models.DateTimeField(null=True, blank=True)
    region = models.CharField(max_length=32)
    account = models.CharField(max_length=12, blank=True)
    account_name = models.CharField(max_length=40, blank=True)
    """Of an account that was added; "" for that of the installation's own credentials."""
    given = models.JSONField(default=dict)
    spec = models.JSONField(default=dict)
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    message = models.CharField(max_length=1000, blank=True)
    deletion_protection = models.BooleanField(default=False)
    operation_id = models.UUIDField(null=True, blank=True)
    """The last operation on the cluster as a whole (create, retry or delete)."""
    operation_kind = models.CharField(max_length=64, blank=True)
    operation_state = models.CharField(max_length=20, blank=True)
    kubernetes_version = models.CharField(max_length=16, blank=True)
    instance_count = models.PositiveIntegerField(default=0)
    node_count = models.PositiveIntegerField(default=0)
    ready_node_count = models.PositiveIntegerField(default=0)
    cost_per_hour = models.FloatField(null=True, blank=True)
    endpoint = models.CharField(max_length=255, blank=True)
    ca_data = models.TextField(blank=True)
    eks_arn = models.CharField(max_length=255, blank=True)
    hyperpod_arn = models.CharField(max_length=255, blank=True)
    created_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    observed_at = models.DateTimeField(null=True, blank=True)
    interval = models.FloatField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    unreadable_since = models.DateTimeField(null=True, blank=True)
    unreadable = models.CharField(max_length=1000, blank=True)
    listed = models.TextField(blank=True, editable=False)
    """The row as lists show it (clusters.listed); "" until somebody writes it."""

    class Meta:
        ordering = ["name"]
        indexes = [models.Index(fields=["state"]), models.Index(fields=["region"])]

    def __str__(self) -> str:
        return self.name

    @property
    def topic(self) -> str:
        """Topic of its status events."""
        return f"cluster:{self.name}"

    @property
    def imported(self) -> bool:
        return self.origin == Origin.IMPORTED

    @property
    def observed_only(self) -> bool:
        """Whether nothing of it may be changed from here: it was imported and not adopted."""
        return self.imported and self.adopted_at is None

    @property
    def eks(self) -> str:
        """What EKS calls it."""
        return self.eks_name or self.name

    @property
    def hyperpod(self) -> str:
        """What HyperPod calls it; "" where an imported cluster has no HyperPod cluster."""
        return self.hyperpod_name or ("" if self.imported else self.name)

    def stale(self, now: datetime | None = None) -> bool:
        """Whether the last look is older than it may be (or there was none)."""
        return is_stale(self.observed_at, self.interval, now or timezone.now())


class ClusterDocument(models.Model):
    """A JSON document as AWS gave it, word for word: `eks`, `hyperpod`, `stack`."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(max_length=32)
    body: models.JSONField[Any, Any] = models.JSONField(null=True)
    observed_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["cluster", "name"], name="one_document_of_a_name_per_cluster")]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.name}"
