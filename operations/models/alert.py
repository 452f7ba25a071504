"""What is wrong now, or was: one open row for each thing that is the matter."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from operations.models.event import Level as AlertSeverity


class AlertKind(models.TextChoices):
    NODE_UNHEALTHY = "node_unhealthy", "Node unhealthy"
    CAPACITY_PARTIAL = "capacity_partial", "Capacity partial"
    DRIFT = "drift", "Drift"
    QUOTA_NEAR = "quota_near", "Quota near"
    OPERATION_FAILED = "operation_failed", "Operation failed"


__all__ = ["Alert", "AlertKind", "AlertSeverity"]


class Alert(models.Model):
    """One thing that is or was the matter with `subject` ("node:demo/i-0123"). Written by operations.alerts.telling alone.

    cluster: the one concerned, "" for none. link: path of the page where it can be seen. closed_at: when it was seen to be over.
    acknowledged_by: name of who said that it is known; copied, so that it outlives the user.
    """

    kind = models.CharField(max_length=30, choices=AlertKind.choices)
    subject = models.CharField(max_length=255)
    cluster = models.CharField(max_length=100, default="", blank=True)
    severity = models.CharField(max_length=10, choices=AlertSeverity.choices)
    sentence = models.TextField()
    fix = models.TextField(default="", blank=True)
    link = models.CharField(max_length=300, default="", blank=True)
    opened_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.CharField(max_length=150, default="", blank=True)

    class Meta:
        ordering = ["-opened_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["kind", "subject"], condition=Q(closed_at=None), name="alert_open_once")]
        indexes = [
            models.Index(fields=["closed_at", "kind", "cluster"], name="alert_open"),
            models.Index(fields=["-opened_at", "-id"], name="alert_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.subject}"

    @property
    def open(self) -> bool:
        return self.closed_at is None
