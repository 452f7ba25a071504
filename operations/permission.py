"""Whether a principal may carry out an action on a subject: asked once for all four doors."""

from __future__ import annotations

from accounts.choices import Role
from accounts.principal import Principal
from instantstart.problem import Problem


def permit(principal: Principal, permission: Role, title: str, cluster: str, *, new: bool = False, account: str = "") -> None:
    """Raises a Problem (403) unless the principal may. title: what is asked, for the sentence; cluster: "" for none; new: it may be one
    that is not there yet, whose account the action itself holds against the principal's; account: digits of the AWS account that it is
    about where it is about no cluster, "" for none or that of the installation's own credentials."""
    if principal.read_only:
        raise Problem(403, "read_only_token", "Read-only token", f"{title}: this token may only read.", "Use a token that may write.")
    if not principal.role.covers(permission):
        raise Problem(
            403,
            "role_too_low",
            "Role too low",
            f"{title} needs the role {permission.label.lower()}; yours is {principal.role.label.lower()}.",
            "Ask an administrator for the role, or ask someone who has it.",
        )
    if not cluster and account and principal.named is None and principal.may_use(account):
        return
    if not (principal.may_name(cluster) if new else principal.may_reach(cluster)):
        detail = f"{title}: {principal.limited} limited to other {'clusters' if principal.token else 'AWS accounts'}."
        raise Problem(403, "cluster_not_allowed", "Cluster not allowed", detail, principal.way_out)
