"""What the pages are told: a change, in order, for every web process to tail."""

from __future__ import annotations

from django.db import models


class StatusEvent(models.Model):
    """topic: "clusters", "cluster:<name>", "operations", "operation:<id>". kind: what happened. payload: JSON object."""

    topic = models.CharField(max_length=160)
    kind = models.CharField(max_length=60)
    payload = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["at"], name="status_event_at")]

    def __str__(self) -> str:
        return f"{self.topic} {self.kind}"
