"""What a user, or one of the user's tokens, works on when a call names nothing else."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models.token import ApiToken


class Preference(models.Model):
    """`cluster`: name of the preferred cluster. `token` is null for the user's own choice in the pages."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, related_name="preferences", on_delete=models.CASCADE)
    token = models.ForeignKey(ApiToken, null=True, blank=True, related_name="preferences", on_delete=models.CASCADE)
    cluster = models.CharField(max_length=63, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user"], condition=Q(token__isnull=True), name="one_preference_per_user"),
            models.UniqueConstraint(fields=["token"], condition=Q(token__isnull=False), name="one_preference_per_token"),
        ]

    def __str__(self) -> str:
        return f"{self.token or self.user}: {self.cluster or 'none'}"
