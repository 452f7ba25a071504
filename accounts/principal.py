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

    `clusters` is None when every cluster is allowed, else the names that are: those that the token names, of those in the accounts that
    it, or its user, is limited to. named, accounts: the two limits themselves, None for none; what makes a new cluster is held against
    these.
    """

    user: User
    token: ApiToken | None
    role: Role
    clusters: frozenset[str] | None
    read_only: bool
    agent: bool
    named: frozenset[str] | None = None
    accounts: frozenset[str] | None = None

    def may_reach(self, cluster: str) -> bool:
        """Whether neither the person nor the token is limited to other clusters."""
        return self.clusters is None or cluster in self.clusters

    def may_name(self, cluster: str) -> bool:
        """Whether it may make a cluster of that name, in an account that it may use."""
        if self.accounts is None:
            return self.may_reach(cluster)
        return self.named is None or cluster in self.named

    def may_use(self, account: str) -> bool:
        """Whether it is not limited to other AWS accounts."""
        return self.accounts is None or account in self.accounts

    @property
    def limited(self) -> str:
        """Who is limited, for a sentence that goes on with "limited to …": the token where there is one."""
        return "you are" if self.token is None else "this token is"

    @property
    def way_out(self) -> str:
        """What to do about it, as an imperative sentence."""
        return "Ask an administrator to widen your limit." if self.token is None else "Use a token that is not limited so."
