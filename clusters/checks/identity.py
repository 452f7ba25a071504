"""Whether the identity in use can own a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.checks.registry import Subject, check, failed, passed, warning
from operations.plan import Check

CODE, TITLE = "identity", "AWS identity"


@check(CODE, TITLE)
def an_access_entry_can_name_it(subject: Subject) -> Iterator[Check]:
    """EKS access entries take roles and users only."""
    identity = subject.facts.identity
    if identity.kind in ("root", "federated-user", "other"):
        yield failed(
            "identity_unfit",
            TITLE,
            f"{identity.arn} is neither a role nor a user of IAM: EKS takes no access entry for it.",
            "Use the credentials of an IAM role or user.",
        )
    elif identity.note:
        yield warning("role_arn_assumed", TITLE, identity.note, f"Allow iam:GetRole on {identity.role_arn}, or check that this is its ARN.")
    else:
        yield passed(CODE, TITLE, f"{identity.role_arn} in account {identity.account} will administer the cluster.")
