"""A person who signs in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models

from accounts.choices import Role
from accounts.models.token import validate_accounts


class PeopleManager(UserManager["User"]):
    """As Django's, but that a superuser is what the role says: an admin."""

    def create_superuser(self, username: str, email: str | None = None, password: str | None = None, **extra: Any) -> User:
        extra["role"] = Role.ADMIN
        return super().create_superuser(username, email, password, **extra)


class User(AbstractUser):  # type: ignore[django-manager-missing]  # knox's base class is untyped, and so is its manager
    """A person. `role` and `accounts` are the truth; Django's own flags for its admin site, which shows every row, follow from them.

    accounts: None for every AWS account, else those, by their digits, to whose clusters the person is limited, with every token of theirs.
    """

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)
    accounts = models.JSONField(null=True, blank=True, default=None, validators=[validate_accounts])

    objects: ClassVar[PeopleManager] = PeopleManager()

    class Meta:
        ordering = ("username",)

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        self.is_staff = self.is_superuser = self.role == Role.ADMIN and self.accounts is None
        if update_fields is not None and {"role", "accounts"} & (named := set(update_fields)):
            update_fields = named | {"is_staff", "is_superuser"}
        super().save(*args, update_fields=update_fields, **kwargs)
