"""Further AWS accounts, reached through a role in each."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models


class AwsAccount(models.Model):
    """An account besides that of the installation's own credentials. No secret is kept: a role and its external id are none.

    name: immutable, what people choose it by. tested_at: when its role was last asked for. identity: the ARN that was seen then.
    missing: IAM actions that were missing then, None when that could not be told. unreadable: why the role could not be taken on
    at the last test, "" when it could; unreadable_since: since when.
    """

    name = models.CharField(max_length=40, unique=True)
    account_id = models.CharField(max_length=12, unique=True)
    role_arn = models.CharField(max_length=2048)
    external_id = models.CharField(max_length=128)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    added_at = models.DateTimeField()
    tested_at = models.DateTimeField()
    identity = models.CharField(max_length=2048, blank=True)
    missing: models.JSONField[Any, Any] = models.JSONField(null=True, default=list)
    unreadable = models.CharField(max_length=1000, blank=True)
    unreadable_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        verbose_name = "AWS account"

    def __str__(self) -> str:
        return f"{self.name} ({self.account_id})"

    @property
    def partition(self) -> str:
        """ "aws", "aws-cn" or "aws-us-gov"."""
        return self.role_arn.split(":")[1]
