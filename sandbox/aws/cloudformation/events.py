"""The history of a stack: one event for each change of status, of the stack or of a resource."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.aws.cloudformation.stacks import Stack
    from sandbox.aws.context import Context

_KIND = "_cloudformation.event"


def _append(context: Context, stack: Stack, event: dict[str, Any]) -> None:
    stack["events"] += 1
    row = {"StackId": stack["id"], "StackName": stack["name"], "Timestamp": context.timestamp, **event}
    if stack.get("client_token"):
        row["ClientRequestToken"] = stack["client_token"]
    # A scope of its own for each stack: its events are read together.
    context.world.store.put(_KIND, stack["id"], f"{stack['events']:08d}", row)


def of_stack(context: Context, stack: Stack, status: str, reason: str = "") -> None:
    """Note the stack's new status, with its event."""
    stack["status"], stack["reason"] = status, reason
    event = {
        "EventId": str(uuid.uuid4()),
        "LogicalResourceId": stack["name"],
        "PhysicalResourceId": stack["id"],
        "ResourceType": "AWS::CloudFormation::Stack",
        "ResourceStatus": status,
    }
    if reason:
        event["ResourceStatusReason"] = reason
    _append(context, stack, event)


def of_resource(context: Context, stack: Stack, logical_id: str, resource: dict[str, Any], status: str, reason: str = "") -> None:
    """Note a resource's new status, with its event."""
    resource |= {"status": status, "reason": reason, "timestamp": context.timestamp}
    moment = datetime.fromtimestamp(context.timestamp, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    event = {
        "EventId": f"{logical_id}-{status}-{moment}",
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": resource.get("physical_id", ""),
        "ResourceType": resource["type"],
        "ResourceStatus": status,
    }
    if resource.get("properties") is not None:
        event["ResourceProperties"] = json.dumps(resource["properties"])
    if reason:
        event["ResourceStatusReason"] = reason
    _append(context, stack, event)


def of(context: Context, stack: Stack) -> list[dict[str, Any]]:
    """Newest first."""
    return context.world.store.list(_KIND, stack["id"])[::-1]
