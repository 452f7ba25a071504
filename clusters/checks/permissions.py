"""IAM permissions of the control plane, those to delete included."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.checks.registry import Subject, check, failed, passed, warning
from clusters.permissions import OPTIONAL, PERMISSIONS, Permission
from instantstart.cloud.problems import sentence
from instantstart.command_line import manage
from operations.plan import Check

CODE, TITLE = "permissions", "AWS permissions"
SHOWN = 12


@check(CODE, TITLE)
def everything_needed_is_allowed(subject: Subject) -> Iterator[Check]:
    """An error for each action that IAM's simulation denies; a warning when the simulation itself is not allowed."""
    principal = subject.facts.identity.role_arn
    error = subject.facts.unreadable("permissions")
    if error is not None:
        yield warning(
            "permissions_unchecked",
            TITLE,
            f"The permissions of {principal} could not be checked. {sentence(error)}",
            f"Allow iam:SimulatePrincipalPolicy to have them checked, or compare them with what `{manage('iam-policy')}` prints.",
        )
        return
    denied: list[Permission] = subject.facts.wait("permissions")
    missing = [permission for permission in denied if permission.phase not in OPTIONAL]
    spared = [permission for permission in denied if permission.phase in OPTIONAL]
    if spared:
        yield warning(
            "permission_missing",
            TITLE,
            f"{principal} may not {', '.join(sorted(one.action for one in spared))}: clusters live without, not all else does.",
            "`manage.py iam-policy` prints the whole policy.",
        )
    for permission in missing[:SHOWN]:
        yield failed(
            "permission_missing",
            TITLE,
            f"{principal} may not {permission.action}, which is needed to {permission.why} (phase {permission.phase}).",
            f"Allow {permission.action}: `{manage('iam-policy')}` prints the whole policy.",
        )
    if len(missing) > SHOWN:
        others = ", ".join(sorted({permission.action for permission in missing[SHOWN:]}))
        yield failed(
            "permission_missing", TITLE, f"{principal} may not {others} either.", f"Attach the policy that `{manage('iam-policy')}` prints."
        )
    if not denied:
        actions = len({permission.action for permission in PERMISSIONS})
        yield passed(CODE, TITLE, f"{principal} has all {actions} permissions, those to delete included.")
