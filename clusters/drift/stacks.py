"""CloudFormation's own drift detection of our stacks: asked for once an hour, read when it is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clusters import names
from clusters.reading.stack import COMPLETE, read_stack
from instantstart.cloud.aws import Aws

RUNNING = "DETECTION_IN_PROGRESS"


@dataclass(frozen=True)
class StackDifference:
    """One property of one resource. desired, observed: as CloudFormation words them."""

    resource: str
    physical_id: str
    field: str
    desired: Any
    observed: Any


def detect(aws: Aws, cluster: str) -> str:
    """Asks for a detection; its id, "" when there is no stack at rest."""
    stack = read_stack(aws, names.stack(cluster))
    if stack is None or stack.status not in COMPLETE:
        return ""
    return str(aws.read("cloudformation", "detect_stack_drift", StackName=stack.stack_id)["StackDriftDetectionId"])


def running(aws: Aws, detection: str) -> bool:
    told = aws.read("cloudformation", "describe_stack_drift_detection_status", StackDriftDetectionId=detection)
    return bool(told["DetectionStatus"] == RUNNING)


def differences(aws: Aws, cluster: str) -> list[StackDifference]:
    """What the last detection found."""
    asked = {"StackName": names.stack(cluster), "StackResourceDriftStatusFilters": ["MODIFIED", "DELETED"]}
    found = []
    for one in aws.pages("cloudformation", "describe_stack_resource_drifts", "StackResourceDrifts", **asked):
        resource, physical = f"stack/{one['LogicalResourceId']}", one.get("PhysicalResourceId", "")
        if one["StackResourceDriftStatus"] == "DELETED":
            found.append(StackDifference(resource, physical, "there", True, False))
            continue
        found += [
            StackDifference(resource, physical, item["PropertyPath"], item["ExpectedValue"], item["ActualValue"])
            for item in one.get("PropertyDifferences", ())
        ]
    return found
