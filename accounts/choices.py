"""The roles of people, weakest first."""

from django.db import models


class Role(models.TextChoices):
    """What a person may do; each role may do all that the one before it may."""

    VIEWER = "viewer", "Viewer"
    OPERATOR = "operator", "Operator"
    ADMIN = "admin", "Admin"

    @property
    def rank(self) -> int:
        return list(Role).index(self)

    def covers(self, needed: "Role") -> bool:
        """Whether this role may do what `needed` may."""
        return self.rank >= needed.rank


class AuditOutcome(models.TextChoices):
    """Whether what was asked was let through."""

    ACCEPTED = "accepted", "Accepted"
    REFUSED = "refused", "Refused"
