"""What a call to CloudFormation is about, for policies that name resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import stacks
from sandbox.aws.permissions import resource_arn

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@resource_arn("cloudformation")
def about(context: Context, params: dict[str, Any]) -> str:
    """The stack's ARN; of one that is not there yet with `*` for its id."""
    name = params.get("StackName")
    if not name:
        return "*"
    if str(name).startswith("arn:"):
        return str(name)
    found = stacks.by_name(context, name)
    return str(found["id"]) if found else context.arn("cloudformation", f"stack/{name}/*")
