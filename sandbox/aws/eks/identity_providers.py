"""OIDC identity providers of a cluster's API server: none can be associated yet, so the list is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.eks.cluster import find
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@operation("eks", "ListIdentityProviderConfigs")
def list_identity_provider_configs(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find(context, params["clusterName"])
    return {"identityProviderConfigs": []}
