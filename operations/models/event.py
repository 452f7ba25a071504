"""The history of an operation, line by line."""

from __future__ import annotations

from django.db import models

from operations.models.operation import Operation


class Level(models.TextChoices):
    INFO = "info", "Info"
    WARNING = "warning", "Warning"
    ERROR = "error", "Error"


class Event(models.Model):
    """One thing that happened to an operation; the id gives the order."""

    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField()
    level = models.CharField(max_length=10, choices=Level.choices, default=Level.INFO)
    step = models.CharField(max_length=80, default="", blank=True)
    code = models.CharField(max_length=120)
    message = models.TextField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["operation", "id"], name="event_of_operation")]

    def __str__(self) -> str:
        return self.message
