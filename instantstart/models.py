"""What the frame itself keeps: answers by idempotency key."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class IdempotencyRecord(models.Model):
    """One unsafe call made under an Idempotency-Key, and its answer once there is one.

    scope: whose key it is (one user through one token or through sessions). fingerprint: SHA-256 of method, path and body: another body
    under the same key is refused. state: `running` while the first caller is at work, whose right to it ends at `expires_at`;
    `answered` when the answer is kept; `open` when it was refused or failed without effect, so that the same call may be tried again.
    answer: encrypted JSON of status, headers and body, for it may hold a secret (a new token).
    """

    class State(models.TextChoices):
        RUNNING = "running", "Running"
        ANSWERED = "answered", "Answered"
        OPEN = "open", "Open"

    scope = models.CharField(max_length=100)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    state = models.CharField(max_length=16, choices=State.choices, default=State.RUNNING)
    owner = models.CharField(max_length=32)
    expires_at = models.DateTimeField()
    answer = models.BinaryField(default=b"")
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "key"], name="idempotency_key_once_per_scope")]

    def __str__(self) -> str:
        return f"{self.scope} {self.key}: {self.state}"
