"""API tokens: a user's rights, or fewer, in the hand of a program."""

from __future__ import annotations

import re
import uuid
from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from knox.models import AbstractAuthToken

from accounts.choices import Role

_ACCOUNT = re.compile(r"[0-9]{12}")
_TOOLSET = re.compile(r"[a-z][a-z_]{0,31}")


def validate_cluster_names(value: object) -> None:
    """None (every cluster) or a non-empty list of names."""
    if value is None:
        return
    if not isinstance(value, list) or not value or not all(isinstance(name, str) and name for name in value):
        raise ValidationError("Give a list of cluster names, or nothing for every cluster.")


def validate_accounts(value: object) -> None:
    """None (every account) or a non-empty list of twelve digits each."""
    if value is None:
        return
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and _ACCOUNT.fullmatch(one) for one in value):
        raise ValidationError("Give a list of AWS accounts by their twelve digits, or nothing for every account.")


def validate_toolsets(value: object) -> None:
    """None (all) or a non-empty list of names of sets of tools."""
    if value is None:
        return
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and _TOOLSET.fullmatch(one) for one in value):
        raise ValidationError("Give a list of names of toolsets, or nothing for all.")


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """One token. Only its hash is kept (by knox); what it may do is the least of these fields and of its user's role.

    uid: how others name it, since knox's primary key is the hash. parent: the token that made it, so that revoking a token takes
    back what came from it. clusters: None for every cluster, else the names it is limited to. accounts: None for every AWS account, else
    those, by their digits, whose clusters it is limited to. agent: used by an AI agent. operations_per_hour, cost_per_hour: how many
    operations it may begin, and how many US dollars they may add to the running cost, within an hour; None for any (accounts.limits).
    toolsets: which sets of tools an agent is shown, None for all; it adds and takes no rights.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, related_name="auth_token_set", on_delete=models.CASCADE)
    name = models.CharField(max_length=64)
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)
    clusters = models.JSONField(null=True, blank=True, default=None, validators=[validate_cluster_names])
    accounts = models.JSONField(null=True, blank=True, default=None, validators=[validate_accounts])
    read_only = models.BooleanField(default=False)
    agent = models.BooleanField(default=False)
    toolsets = models.JSONField(null=True, blank=True, default=None, validators=[validate_toolsets])
    operations_per_hour = models.PositiveIntegerField(null=True, blank=True, default=None, validators=[MinValueValidator(1)])
    cost_per_hour = models.FloatField(null=True, blank=True, default=None, validators=[MinValueValidator(0)])
    parent = models.ForeignKey("self", null=True, blank=True, editable=False, related_name="children", on_delete=models.CASCADE)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    # knox's own makes tokens too; ours are made by accounts.actions.tokens alone.
    objects: ClassVar[models.Manager[ApiToken]] = models.Manager()

    class Meta:
        ordering = ("-created",)
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="token_name_once_per_user")]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
