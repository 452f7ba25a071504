"""From a call to its handler: validation, permission, transaction. The same for HTTP, CloudFormation and tests."""

from __future__ import annotations

from typing import Any

from sandbox.aws import models, paging, permissions, registry, validation
from sandbox.aws.cloudtrail.record import recorded
from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol import codes

# Faults that CloudFormation's own calls meet too; the others are about the wire between a caller and AWS.
_INNER_FAULTS = ("access_denied", "error:")


def perform(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Answer one API call: what is due on the agenda first, then the call, paged as the caller asked. Raises AWSError."""
    context.world.settle()
    return paging.cut(context, params, recorded(context, params, _run))


def invoke(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """A call from inside (Context.call): not paged, and only CloudFormation's meet faults."""
    if context.source == "cloudformation":
        fault = context.world.faults.take(context.service, context.operation, _INNER_FAULTS)
        if fault is not None:
            raise fault_error(context, fault)
        return recorded(context, params, _run)
    return _run(context, params)


def fault_error(context: Context, fault: dict[str, Any]) -> AWSError:
    """The error answer of a throttle, access_denied or error:<code> fault."""
    kind, message = fault["kind"], fault.get("message") or ""
    if kind == "throttle":
        return AWSError(codes.throttled(context.service), message or "Rate exceeded", codes.throttled_status(context.service))
    if kind == "access_denied":
        return permissions.denied(context, permissions.action(context.service, context.operation), "*", "with an explicit deny in a fault")
    return AWSError(kind.partition(":")[2], message or "Injected by the sandbox.")


def _run(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    handler = registry.find(context.service, context.operation)
    if handler is None:
        raise AWSError("NotImplemented", f"{context.service}:{context.operation} is not simulated by the sandbox.", 501)
    validation.check(models.operation(context.service, context.operation), params)
    permissions.check(context, params)
    with context.world.acting(context), context.world.database.transaction():
        return handler(context, params) or {}
