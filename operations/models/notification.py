"""Something a person should hear of. Rows now; channels (mail, chat) read them later."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.choices import Role
from operations.models.operation import Operation


class NotificationKind(models.TextChoices):
    OPERATION_ENDED = "operation_ended", "Operation ended"
    APPROVAL_ASKED = "approval_asked", "Approval asked"
    PLAN_CHANGED = "plan_changed", "Plan changed"
    DECISION_ASKED = "decision_asked", "Decision asked"


class Notification(models.Model):
    """For `user`, or for everybody with at least `role` when user is null. read_at: when it was seen."""

    kind = models.CharField(max_length=30, choices=NotificationKind.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="notifications")
    role = models.CharField(max_length=10, choices=Role.choices, default="", blank=True)
    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, related_name="notifications")
    title = models.CharField(max_length=300)
    message = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["user", "read_at"], name="notification_unread")]

    def __str__(self) -> str:
        return self.title
