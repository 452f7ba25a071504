"""The audit trail."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.choices import AuditOutcome


class AuditEntry(models.Model):
    """Who did, or was refused, what, through which door. Names are copied: the entry outlives the user and the token.

    action: kind of the action ("cluster.create", "token.revoke", "session.sign_in"), or method and route for a call refused before it
    became one. subject: what it was about ("cluster:demo"). code: the refusal's. operation: id of the operation that came of it.
    channel: a value of operations.choices.Channel.
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, related_name="audit_entries", on_delete=models.SET_NULL)
    username = models.CharField(max_length=150, blank=True)
    token_name = models.CharField(max_length=64, blank=True)
    channel = models.CharField(max_length=16, blank=True)
    action = models.CharField(max_length=128, db_index=True)
    subject = models.CharField(max_length=255, blank=True)
    outcome = models.CharField(max_length=16, choices=AuditOutcome.choices)
    code = models.CharField(max_length=64, blank=True)
    detail = models.TextField(blank=True)
    operation = models.UUIDField(null=True, db_index=True)
    request_id = models.CharField(max_length=64, blank=True)
    remote_addr = models.GenericIPAddressField(null=True)

    class Meta:
        ordering = ("-at", "-id")
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.username} {self.action} {self.outcome}"
