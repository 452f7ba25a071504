"""Sign-ins tried, kept as long as the throttle looks back."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class SignInAttempt(models.Model):
    """One try that has not (yet) succeeded. Rows, so that every web process counts the same."""

    at = models.DateTimeField(default=timezone.now)
    username = models.CharField(max_length=150)
    address = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["username", "at"], name="sign_in_by_username"),
            models.Index(fields=["address", "at"], name="sign_in_by_address"),
            models.Index(fields=["at"], name="sign_in_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.username} from {self.address}"
