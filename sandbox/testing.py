"""Calls for tests, in-process: the same path as over HTTP but for the wire."""

from __future__ import annotations

from typing import Any

from sandbox.aws import dispatch, models
from sandbox.aws.context import Context
from sandbox.identity import Principal
from sandbox.world import World


def call(
    world: World,
    service: str,
    operation: str,
    params: dict[str, Any] | None = None,
    *,
    account: str = "",
    region: str = "",
    principal: Principal | None = None,
) -> dict[str, Any]:
    """Run an operation (API names, "CreateVpc") as the sandbox user and check that the answer has its output shape.

    Raises AWSError as a caller would see it.
    """
    context = caller(world, service, operation, account=account, region=region, principal=principal)
    result = dispatch.perform(context, dict(params or {}))
    shape = models.operation(service, operation).output_shape
    unknown = set(result) - set(shape.members if shape is not None else ())
    assert not unknown, f"{service}:{operation} answers {sorted(unknown)}, which its output shape does not have"  # noqa: S101
    return result


def caller(
    world: World, service: str, operation: str, *, account: str = "", region: str = "", principal: Principal | None = None
) -> Context:
    """A Context as an API call of the sandbox user (or `principal`) has it."""
    account = account or (principal.account if principal else world.settings.account)
    if principal is None:
        world.add_account(account)
        record = world.store.get("_account", "*", account) or {}
        key = world.identity.key(record["access_key"])
        assert key is not None  # noqa: S101
        principal = key.principal
    return world.context(service, operation, account=account, region=region, principal=principal, source="api")
