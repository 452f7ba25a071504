"""Change sets of CloudFormation, as read: what each resource would go through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError

PREFIX = "instantstart-"
NOTHING = ("didn't contain changes", "No updates are to be performed")
"""How CloudFormation says that there is nothing to do; it has no code of its own for it."""
GOING = ("DELETE_PENDING", "DELETE_IN_PROGRESS", "DELETE_COMPLETE")
EXECUTED = "EXECUTE_"
VERBS = {"Add": "create", "Modify": "update", "Remove": "delete", "Dynamic": "update", "Import": "create"}
"""Their words → those of plans. SyncWithActual, which changes only what CloudFormation remembers, is no change."""


def name_of(operation: str) -> str:
    """The change set that an operation makes, by its id in hex."""
    return f"{PREFIX}{operation}"


@dataclass(frozen=True)
class Changed:
    """One resource. replacement: "True", "False", "Conditional", or "" where it is not asked. properties: [{field, before, after}]."""

    action: str
    resource_type: str
    logical_id: str
    physical_id: str
    replacement: str
    properties: tuple[Mapping[str, Any], ...]

    @property
    def verb(self) -> str:
        return VERBS.get(self.action, "update")

    @property
    def destroys(self) -> bool:
        """Whether what is there goes."""
        return self.action == "Remove" or self.replacement == "True"

    @property
    def may_replace(self) -> bool:
        return self.replacement == "Conditional"

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "properties": [dict(one) for one in self.properties]}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Changed:
        return cls(**{**row, "properties": tuple(row["properties"])})


@dataclass(frozen=True)
class ChangeSetReading:
    arn: str
    stack_id: str
    status: str
    execution: str
    reason: str
    changes: tuple[Changed, ...]

    @property
    def moving(self) -> bool:
        return self.status in ("CREATE_PENDING", "CREATE_IN_PROGRESS")

    @property
    def nothing(self) -> bool:
        """Whether CloudFormation found nothing to do."""
        return self.status == "FAILED" and any(words in self.reason for words in NOTHING)

    @property
    def usable(self) -> bool:
        return self.status == "CREATE_COMPLETE" and self.execution == "AVAILABLE"


def read_change_set(aws: Aws, name: str, stack: str = "") -> ChangeSetReading | None:
    """By ARN, or by name and stack; None when there is none. CloudError."""
    asked: dict[str, Any] = {"ChangeSetName": name, "IncludePropertyValues": True, **({"StackName": stack} if stack else {})}
    changes: list[Changed] = []
    while True:
        try:
            told = aws.read("cloudformation", "describe_change_set", **asked)
        except CloudError as error:
            if error.missing:
                return None
            raise
        changes += [found for one in told.get("Changes") or () if (found := _changed(one)) is not None]
        if not told.get("NextToken"):
            break
        asked["NextToken"] = told["NextToken"]
    if told["Status"] in GOING:
        return None
    return ChangeSetReading(
        arn=told["ChangeSetId"],
        stack_id=told["StackId"],
        status=told["Status"],
        execution=told.get("ExecutionStatus", ""),
        reason=told.get("StatusReason", ""),
        changes=tuple(changes),
    )


def left_behind(aws: Aws, stack: str, but: str) -> list[str]:
    """ARNs of change sets of ours that nobody carried out, without the one of that name. CloudError."""
    return [
        str(one["ChangeSetId"])
        for one in aws.pages("cloudformation", "list_change_sets", "Summaries", StackName=stack)
        if one["ChangeSetName"].startswith(PREFIX)
        and one["ChangeSetName"] != but
        and one["Status"] not in GOING
        and not one.get("ExecutionStatus", "").startswith(EXECUTED)
    ]


def _changed(one: Mapping[str, Any]) -> Changed | None:
    told = one.get("ResourceChange")
    if not told or told["Action"] == "SyncWithActual":
        return None
    fields: dict[str, dict[str, Any]] = {}
    for detail in told.get("Details") or ():
        target = detail.get("Target") or {}
        name = target.get("Path") or target.get("Name") or target.get("Attribute") or ""
        if name:
            fields.setdefault(name, {"field": name, "before": target.get("BeforeValue"), "after": target.get("AfterValue")})
    return Changed(
        action=told["Action"],
        resource_type=told["ResourceType"],
        logical_id=told["LogicalResourceId"],
        physical_id=told.get("PhysicalResourceId") or "",
        replacement=told.get("Replacement") or "",
        properties=tuple(fields.values()),
    )
