"""Signs of life of the processes that drive operations."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """name: "dispatcher:<host>:<pid>". at: its last tick."""

    name = models.CharField(max_length=120, unique=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%H:%M:%S}"
