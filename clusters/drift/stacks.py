"""CloudFormation's own drift detection of our stacks: asked for once an hour, read when it is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clusters.reading.stack import StackReading
from clusters.stacks import parts
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


def detect(aws: Aws, stack: StackReading) -> str:
    """Asks for a detection; its id, "" for a stack that is not at rest."""
    if not stack.complete:
        return ""
    return str(aws.read("cloudformation", "detect_stack_drift", StackName=stack.stack_id)["StackDriftDetectionId"])


def running(aws: Aws, detection: str) -> bool:
    told = aws.read("cloudformation", "describe_stack_drift_detection_status", StackDriftDetectionId=detection)
    return bool(told["DetectionStatus"] == RUNNING)


def differences(aws: Aws, stack_id: str, part: str) -> list[StackDifference]:
    """What the last detection of that stack found."""
    asked = {"StackName": stack_id, "StackResourceDriftStatusFilters": ["MODIFIED", "DELETED"]}
    found = []
    for one in aws.pages("cloudformation", "describe_stack_resource_drifts", "StackResourceDrifts", **asked):
        resource, physical = parts.resource(part, one["LogicalResourceId"]), one.get("PhysicalResourceId", "")
        if one["StackResourceDriftStatus"] == "DELETED":
            found.append(StackDifference(resource, physical, "there", True, False))
            continue
        found += [
            StackDifference(resource, physical, item["PropertyPath"], item["ExpectedValue"], item["ActualValue"])
            for item in one.get("PropertyDifferences", ())
        ]
    return found
