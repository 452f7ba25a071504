"""Who outside is told of alerts, and what was sent to them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from operations.models.alert import Alert
from operations.models.leased import Leased


class Webhook(models.Model):
    """An address that alerts and approvals are sent to.

    kinds: kinds of alerts, "approval" for what agents ask a person; [] for all.
    secret: what signs the messages, encrypted (operations.alerts.sealed).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    url = models.CharField(max_length=500)
    kinds = models.JSONField(default=list, blank=True)
    secret = models.BinaryField()
    enabled = models.BooleanField(default=True)
    disabled_because = models.CharField(max_length=300, default="", blank=True)
    """Why it was turned off by itself."""
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["url"], name="webhook_url_once")]

    def __str__(self) -> str:
        return self.url

    def wants(self, kind: str) -> bool:
        return self.enabled and (not self.kinds or kind in self.kinds)


class DeliveryStatus(models.TextChoices):
    PENDING = "pending", "Pending"
    DELIVERED = "delivered", "Delivered"
    FAILED = "failed", "Failed"
    DROPPED = "dropped", "Dropped"


class Delivery(Leased):
    """One message to one webhook, sent until it is taken or given up. The id is the message's: the same at each attempt.

    body: the exact text that is signed and sent. attempts: how often sending was begun. failed: given up after the last attempt; dropped:
    the webhook was turned off before it could be sent.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    alert = models.ForeignKey(Alert, null=True, blank=True, on_delete=models.SET_NULL, related_name="deliveries")
    event = models.CharField(max_length=40)
    body = models.TextField()
    status = models.CharField(max_length=10, choices=DeliveryStatus.choices, default=DeliveryStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    last_attempt_at = models.DateTimeField(null=True, blank=True)
    answer_status = models.PositiveIntegerField(null=True, blank=True)
    error = models.CharField(max_length=500, default="", blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    due_field: ClassVar[str] = "next_attempt_at"

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["lease_owner", "next_attempt_at"], name="delivery_due"),
            models.Index(fields=["lease_expires_at"], name="delivery_leased"),
            models.Index(fields=["webhook", "-created_at", "-id"], name="delivery_of_webhook"),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}"

    @property
    def message_id(self) -> str:
        """What receivers tell repeated messages by."""
        return f"msg_{self.pk.hex}"

    @classmethod
    def drivable(cls) -> Q:
        return Q(status=DeliveryStatus.PENDING)
