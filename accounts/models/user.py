"""A person who signs in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models

from accounts.choices import Role


class PeopleManager(UserManager["User"]):
    """As Django's, but that a superuser is what the role says: an admin."""

    def create_superuser(self, username: str, email: str | None = None, password: str | None = None, **extra: Any) -> User:
        extra["role"] = Role.ADMIN
        return super().create_superuser(username, email, password, **extra)


class User(AbstractUser):  # type: ignore[django-manager-missing]  # knox's base class is untyped, and so is its manager
    """A person. `role` is the one truth; Django's own flags for its admin site follow from it whenever a row is saved."""

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)

    objects: ClassVar[PeopleManager] = PeopleManager()

    class Meta:
        ordering = ("username",)

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        self.is_staff = self.is_superuser = self.role == Role.ADMIN
        if update_fields is not None and "role" in (update_fields := set(update_fields)):
            update_fields |= {"is_staff", "is_superuser"}
        super().save(*args, update_fields=update_fields, **kwargs)
