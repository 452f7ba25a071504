"""What limited tokens used up."""

from __future__ import annotations

from django.db import models

from accounts.models.token import ApiToken


class TokenUse(models.Model):
    """One operation that counts against a token's limits: its own, or one of a token that was made from it.

    cost: US dollars that it adds to the running cost of an hour. Written by accounts.limits alone, for tokens that have a limit.
    """

    token = models.ForeignKey(ApiToken, related_name="uses", on_delete=models.CASCADE)
    operation = models.UUIDField(db_index=True)
    at = models.DateTimeField()
    cost = models.FloatField(default=0.0)

    class Meta:
        ordering = ("-at", "-id")
        indexes = [models.Index(fields=["token", "at"], name="token_use_of_token")]
        constraints = [models.UniqueConstraint(fields=["token", "operation"], name="token_use_once")]

    def __str__(self) -> str:
        return f"{self.operation} by {self.token_id}"
