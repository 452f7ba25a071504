"""CloudFormation stacks, as read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from clusters import tags
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError

COMPLETE = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"})
DELETABLE_ONLY = frozenset({"ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED", "IMPORT_ROLLBACK_FAILED"})
"""From these a stack goes nowhere but to its deletion."""
FOLLOWS_FROM_ANOTHER = ("Resource creation cancelled", "Resource deletion cancelled", "The following resource(s) failed")


@dataclass(frozen=True)
class StackReading:
    """One stack that is there. outputs and tags by key."""

    name: str
    stack_id: str
    status: str
    reason: str
    outputs: Mapping[str, str]
    tags: Mapping[str, str]
    created_at: datetime | None
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def complete(self) -> bool:
        return self.status in COMPLETE

    @property
    def version(self) -> list[str]:
        """The same as long as the stack's resources are: a change of them is a change of the stack."""
        return [self.stack_id, self.status, str(self.raw.get("LastUpdatedTime") or self.created_at)]

    @property
    def moving(self) -> bool:
        return self.status.endswith("_IN_PROGRESS")

    @property
    def deleting(self) -> bool:
        return self.status == "DELETE_IN_PROGRESS"

    @property
    def operation(self) -> str:
        """Id of the operation of ours that made it, "" when it was not ours."""
        return self.tags.get(tags.OPERATION, "")


@dataclass(frozen=True)
class StackResource:
    resource_type: str
    logical_id: str
    physical_id: str
    status: str
    reason: str


@dataclass(frozen=True)
class StackFailure:
    """The first failure of a stack's last change: where the cause sits; what comes later follows from it."""

    resource_type: str
    logical_id: str
    physical_id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.logical_id} ({self.resource_type}): {self.reason}"


def read_stack(aws: Aws, name: str) -> StackReading | None:
    """The stack of that name or id, None when AWS says that there is none. CloudError when it can't be read."""
    try:
        found = aws.read("cloudformation", "describe_stacks", StackName=name)["Stacks"]
    except CloudError as error:
        if error.missing:
            return None
        raise
    if not found or found[0]["StackStatus"] == "DELETE_COMPLETE":
        return None
    stack = found[0]
    return StackReading(
        name=stack["StackName"],
        stack_id=stack["StackId"],
        status=stack["StackStatus"],
        reason=stack.get("StackStatusReason", ""),
        outputs={item["OutputKey"]: item["OutputValue"] for item in stack.get("Outputs", [])},
        tags=tags.as_dict(stack.get("Tags")),
        created_at=stack.get("CreationTime"),
        raw=stack,
    )


def read_stack_resources(aws: Aws, name: str) -> list[StackResource]:
    """Every resource of the stack, deleted ones included; [] when there is no stack."""
    try:
        return [
            StackResource(
                resource_type=item["ResourceType"],
                logical_id=item["LogicalResourceId"],
                physical_id=item.get("PhysicalResourceId", ""),
                status=item["ResourceStatus"],
                reason=item.get("ResourceStatusReason", ""),
            )
            for item in aws.pages("cloudformation", "list_stack_resources", "StackResourceSummaries", StackName=name)
        ]
    except CloudError as error:
        if error.missing:
            return []
        raise


def read_first_failure(aws: Aws, stack_id: str) -> StackFailure | None:
    """The earliest failure since the stack's last change began, or None."""
    failure: StackFailure | None = None
    for event in aws.pages("cloudformation", "describe_stack_events", "StackEvents", StackName=stack_id):
        status, is_stack = event["ResourceStatus"], event.get("PhysicalResourceId") == event["StackId"]
        if is_stack and status in ("CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"):
            break
        reason = event.get("ResourceStatusReason", "")
        if not is_stack and status.endswith("_FAILED") and not reason.startswith(FOLLOWS_FROM_ANOTHER):
            failure = StackFailure(event["ResourceType"], event["LogicalResourceId"], event.get("PhysicalResourceId", ""), reason)
    return failure
