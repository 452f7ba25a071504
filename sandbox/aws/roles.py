"""IAM roles that are handed to a service: they must exist, trust it, and the caller must be allowed to pass them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from sandbox.aws import permissions
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_ARN = re.compile(r"arn:[a-z-]+:iam::(\d{12}):role/(?:.*/)?([^/]+)")


def find_role(context: Context, arn: str) -> dict[str, Any] | None:
    """The role as IAM's GetRole gives it, None when this account has none of exactly this ARN (path included)."""
    match = _ARN.fullmatch(arn)
    if match is None or match[1] != context.account:
        return None
    try:
        role: dict[str, Any] = context.as_source("service").call("iam", "GetRole", {"RoleName": match[2]})["Role"]
    except AWSError as error:
        if error.code.startswith("NoSuchEntity"):
            return None
        raise
    return role if role["Arn"] == arn else None


def trusts(role: dict[str, Any], service: str) -> bool:
    """Whether the role's assume-role policy lets a service (such as eks.amazonaws.com) assume it."""
    return service in trusted_services(role["AssumeRolePolicyDocument"])


def trusted_services(document: str | dict[str, Any]) -> set[str]:
    """The services that an assume-role policy (text, URL-encoded text or a value) allows."""
    policy: Any = json.loads(unquote(document)) if isinstance(document, str) else document
    statements = policy["Statement"]
    allowed: set[str] = set()
    for statement in statements if isinstance(statements, list) else [statements]:
        principal = statement.get("Principal", {})
        if statement.get("Effect") != "Allow" or not isinstance(principal, dict):
            continue
        services = principal.get("Service", [])
        allowed.update([services] if isinstance(services, str) else services)
    return allowed


def check_pass(context: Context, arn: str) -> None:
    """The caller may hand the role to a service (iam:PassRole); else the service's own access-denied error."""
    if context.source == "service":
        return
    decision = context.world.identity.authorize(context.principal, "iam:PassRole", arn)
    if not decision.allowed:
        raise permissions.denied(context, "iam:PassRole", arn, decision.reason)
