"""Plans that agents were shown: a change of theirs must follow a look."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from operations import clock


class ShownPlan(models.Model):
    """token: uid of the token that asked. at: when it was shown last."""

    token = models.UUIDField()
    kind = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64)
    at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["token", "kind", "fingerprint"], name="shown_plan_once")]
        indexes: ClassVar = [models.Index(fields=["at"], name="shown_plan_at")]

    def __str__(self) -> str:
        return f"{self.kind} {self.fingerprint}"
