"""Which accounts there are besides that of the installation's own credentials."""

from __future__ import annotations

from clusters.models import AwsAccount, Cluster
from instantstart.cloud.roles import Role
from instantstart.problem import FieldError, Problem

DEFAULT = "default"
"""How people name the account of the installation's own credentials."""


def role_of(account_id: str) -> Role | None:
    """The role by which the account is reached; None for one that is reached by the installation's own credentials."""
    row = AwsAccount.objects.filter(account_id=account_id).only("role_arn", "external_id").first()
    return None if row is None else Role(row.role_arn, row.external_id)


def account_id(name: str) -> str:
    """The twelve digits of the account of that name; "" for the installation's own. Problem 422 when there is none."""
    if name in ("", DEFAULT):
        return ""
    found = AwsAccount.objects.filter(name=name).values_list("account_id", flat=True).first()
    if found is None:
        error = FieldError(
            "account", "unknown_account", f"There is no AWS account {name}.", "Choose one of /api/v1/accounts/, or leave it away."
        )
        raise Problem(422, "invalid_input", "Invalid input", error.detail, error.hint, errors=[error])
    return found


def clusters_in(accounts: frozenset[str]) -> frozenset[str]:
    """Names of the clusters in these accounts."""
    return frozenset(Cluster.objects.filter(account__in=accounts).values_list("name", flat=True))


def account_name(digits: str) -> str:
    """The name of the account, "" for one that nobody added."""
    return AwsAccount.objects.filter(account_id=digits).values_list("name", flat=True).first() or ""


def described(digits: str, name: str) -> str:
    """ "prod (222233334444)", or the digits alone."""
    return f"{name} ({digits})" if name else digits
