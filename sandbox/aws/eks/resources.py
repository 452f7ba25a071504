"""How EKS's calls name the resource they are about, for IAM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.permissions import resource_arn

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@resource_arn("eks")
def resource(context: Context, params: dict[str, Any]) -> str:
    if "resourceArn" in params:
        return str(params["resourceArn"])
    cluster = params.get("clusterName") or params.get("name")
    if not cluster:
        return "*"
    if "addonName" in params and context.operation != "CreateAddon":
        return context.arn("eks", f"addon/{cluster}/{params['addonName']}/*")
    if "nodegroupName" in params and context.operation != "CreateNodegroup":
        return context.arn("eks", f"nodegroup/{cluster}/{params['nodegroupName']}/*")
    if "principalArn" in params and context.operation != "CreateAccessEntry":
        kind, _, name = str(params["principalArn"]).split(":", 5)[-1].partition("/")
        return context.arn("eks", f"access-entry/{cluster}/{kind}/{context.account}/{name}/*")
    if "associationId" in params:
        return context.arn("eks", f"podidentityassociation/{cluster}/{params['associationId']}")
    return context.arn("eks", f"cluster/{cluster}")
