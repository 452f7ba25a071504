"""What a call to IAM is about, for policies that name resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.iam.entities import INSTANCE_PROFILES, ROLES, USERS
from sandbox.aws.permissions import resource_arn

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@resource_arn("iam")
def about(context: Context, params: dict[str, Any]) -> str:
    """The role, user, profile, policy or provider a call names; `*` for lists."""
    for member, noun, entities in (
        ("RoleName", "role", ROLES),
        ("UserName", "user", USERS),
        ("InstanceProfileName", "instance-profile", INSTANCE_PROFILES),
    ):
        if params.get(member):
            found = entities.find(context, params[member])
            return str(found["Arn"]) if found else context.arn("iam", f"{noun}{params.get('Path') or '/'}{params[member]}")
    for member in ("PolicyArn", "OpenIDConnectProviderArn", "PolicySourceArn"):
        if params.get(member):
            return str(params[member])
    if params.get("PolicyName"):
        return context.arn("iam", f"policy{params.get('Path') or '/'}{params['PolicyName']}")
    if params.get("Url"):
        return context.arn("iam", f"oidc-provider/{str(params['Url']).removeprefix('https://')}")
    return "*"
