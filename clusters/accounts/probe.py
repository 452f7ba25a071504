"""Taking on a role to see whether it works: who we are then, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from clusters.accounts.trust import external_id
from clusters.checks.simulation import denied
from instantstart import cloud
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from instantstart.cloud.identity import Identity
from instantstart.cloud.problems import sentence
from instantstart.cloud.roles import Role, not_assumed
from operations.choices import Severity
from operations.plan import Check

EXAMPLE = "example"
"""Name of a cluster for which the permissions are asked."""
SHOWN = 12


@dataclass(frozen=True)
class Probed:
    """identity: None when the role could not be taken on. missing: IAM actions, None when IAM did not say."""

    identity: Identity | None
    missing: list[str] | None
    checks: tuple[Check, ...]

    @property
    def error(self) -> Check | None:
        return next((check for check in self.checks if check.severity is Severity.ERROR), None)


def probe(role: Role) -> Probed:
    """Reads only. What is wrong is among the checks, never raised."""
    aws = cloud.assume(settings.DEFAULT_REGION, role)
    try:
        identity = aws.identity()
    except CloudError as error:
        return Probed(None, None, (_not_taken(role, error),))
    if identity.account != role.account:
        detail = f"The credentials of {role.arn} belong to the account {identity.account}, not to {role.account}."
        return Probed(identity, None, (_check("account_differs", Severity.ERROR, detail, "Give the ARN of a role in that account."),))
    missing, check = _permissions(aws, identity)
    checks = [_check("role_assumed", Severity.PASS, f"{identity.arn} answers in account {identity.account}."), check]
    if role.external_id and _open_without(role):
        checks.append(
            _check(
                "external_id_not_asked",
                Severity.WARNING,
                f"The trust policy of {role.arn} lets us in without the external id: whoever makes us use this role gets in as well.",
                "Add the condition StringEquals sts:ExternalId as the trust policy shown for this account has it.",
            )
        )
    return Probed(identity, missing, tuple(checks))


def _check(code: str, severity: Severity, detail: str, fix: str = "") -> Check:
    return Check(code=code, severity=severity, title="AWS account", detail=detail, fix=fix, field="role_arn")


def _not_taken(role: Role, error: CloudError) -> Check:
    if not (error.denied and not_assumed(error)):
        return _check("role_unreadable", Severity.ERROR, sentence(error), "Try again when AWS can be reached with the own credentials.")
    own = _own_principal()
    if _may_not_assume(own, role):
        return _check(
            "assume_not_allowed",
            Severity.ERROR,
            f"{own} may not take on {role.arn}: its own policies do not allow sts:AssumeRole on it.",
            f"Allow sts:AssumeRole on {role.arn} to {own}, then test again.",
        )
    return _check(
        "role_not_assumable",
        Severity.ERROR,
        f"AWS does not let {own or 'us'} take on {role.arn}: there is no such role, or its trust policy names somebody else, "
        "or asks for another external id.",
        f"Give the role the trust policy that is shown for the account {role.account}, with the external id "
        f"{role.external_id or external_id(role.account)}, then test again.",
    )


def _own_principal() -> str:
    try:
        return cloud.connect(settings.DEFAULT_REGION).identity().role_arn
    except CloudError:
        return ""


def _may_not_assume(own: str, role: Role) -> bool:
    """Whether IAM says so; what it does not say counts as allowed."""
    try:
        said = cloud.connect(settings.DEFAULT_REGION).read(
            "iam", "simulate_principal_policy", PolicySourceArn=own, ActionNames=["sts:AssumeRole"], ResourceArns=[role.arn]
        )
    except CloudError:
        return False
    return any(item["EvalDecision"] != "allowed" for item in said["EvaluationResults"])


def _permissions(aws: Aws, identity: Identity) -> tuple[list[str] | None, Check]:
    try:
        missing = sorted({permission.action for permission in denied(aws, identity, EXAMPLE)})
    except CloudError as error:
        return None, _check(
            "permissions_unchecked",
            Severity.WARNING,
            f"The permissions of {identity.role_arn} could not be checked. {sentence(error)}",
            "Allow iam:SimulatePrincipalPolicy to the role to have them checked.",
        )
    if not missing:
        return missing, _check("permissions", Severity.PASS, f"{identity.role_arn} may do all that clusters need.")
    listed = ", ".join(missing[:SHOWN]) + (f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else "")
    return missing, _check(
        "permissions_missing",
        Severity.WARNING,
        f"{identity.role_arn} may not {listed}: a cluster's plan there will be refused until it may.",
        f"Attach the policy that `manage.py iam-policy --account {identity.account}` prints to the role.",
    )


def _open_without(role: Role) -> bool:
    try:
        cloud.assume(settings.DEFAULT_REGION, Role(role.arn)).read("sts", "get_caller_identity")
    except CloudError:
        return False
    return True
