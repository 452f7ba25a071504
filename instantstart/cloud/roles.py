"""Further accounts: which role stands for an account.

Whoever knows the accounts (an app above this gateway) says so once by `provide`; an account nobody knows of is read with
the installation's own credentials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from instantstart.cloud.errors import CloudError

OPERATION = "assume_role"
"""How a CloudError names the call by which a role is taken on."""


@dataclass(frozen=True)
class Role:
    """A role in another account. external_id: what its trust policy asks for, "" for none."""

    arn: str
    external_id: str = ""

    @property
    def account(self) -> str:
        """The account that the ARN names."""
        return self.arn.split(":")[4]


_lookup: Callable[[str], Role | None] | None = None


def provide(lookup: Callable[[str], Role | None]) -> None:
    """Says who knows the role of an account, by its twelve digits."""
    global _lookup
    _lookup = lookup


def role_of(account: str) -> Role | None:
    """The role that stands for the account; None where the installation's own credentials do."""
    return _lookup(account) if account and _lookup is not None else None


def not_assumed(error: CloudError) -> bool:
    """Whether the role itself could not be taken on, so that nothing of its account can be read or changed."""
    return error.service == "sts" and error.operation == OPERATION
