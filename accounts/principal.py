"""Who asks: one value that every door makes and every Action checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from accounts.choices import Role

if TYPE_CHECKING:
    from accounts.models import ApiToken, User


@dataclass(frozen=True)
class Principal:
    """A user as seen through one door: the user's rights cut down to those of the token used, if any.

    `clusters` is None when every cluster is allowed, else the names that are.
    """

    user: User
    token: ApiToken | None
    role: Role
    clusters: frozenset[str] | None
    read_only: bool
    agent: bool

    def may_reach(self, cluster: str) -> bool:
        """Whether this principal's token is not limited to other clusters."""
        return self.clusters is None or cluster in self.clusters
