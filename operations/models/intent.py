"""What the engine was about to send, committed before it is sent."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from operations.models.operation import Operation


class IntentOutcome(models.TextChoices):
    OPEN = "", "Open"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"
    UNKNOWN = "unknown", "Unknown"


class Intent(models.Model):
    """One external call of one step.

    token: the client token sent (or the name it is known by is derived from it). attempt counts the calls whose outcome
    was certain, so a call after a lost reply carries the same token. timeout_seconds: the longest the call may take.
    seen: digest of the observation that made the call necessary. sent_at: committed just before sending, so an intent
    without it was certainly never sent. An intent without ended_at is settled by observing, never by calling again.
    reply: what the answer said that observing can't show (operations.step.Outcome.reply).
    """

    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, related_name="intents")
    step = models.CharField(max_length=80)
    attempt = models.PositiveIntegerField()
    api = models.CharField(max_length=120)
    token = models.CharField(max_length=64)
    fencing_token = models.PositiveBigIntegerField()
    timeout_seconds = models.FloatField()
    seen = models.CharField(max_length=64, default="", blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, choices=IntentOutcome.choices, default=IntentOutcome.OPEN, blank=True)
    request_id = models.CharField(max_length=200, default="", blank=True)
    error_code = models.CharField(max_length=120, default="", blank=True)
    error_message = models.TextField(default="", blank=True)
    reply = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["operation", "step", "id"], name="intent_of_step")]
        constraints = [
            # Two calls of one operation at a time would mean that two workers drive it: the database says no.
            models.UniqueConstraint(fields=["operation"], condition=Q(ended_at__isnull=True), name="intent_one_open"),
        ]

    def __str__(self) -> str:
        return f"{self.api} {self.outcome or 'open'}"
