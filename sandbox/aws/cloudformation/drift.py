"""Drift detection: DetectStackDrift looks at once, and tells after a while what it saw, until the stack is updated."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from sandbox import timeline
from sandbox.aws.cloudformation import reasons, stacks
from sandbox.aws.cloudformation.compare import differences
from sandbox.aws.cloudformation.resources import actual
from sandbox.aws.cloudformation.resources.base import Work
from sandbox.aws.cloudformation.template import error
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_KIND = "_cloudformation.drift"
"""Per stack its last two detections, newest first: one may be under way while the other is told."""
_IDS = "_cloudformation.drift-id"
_KEPT = 1000
_CHECKABLE = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_FAILED")
_RUNNING, _DONE = "DETECTION_IN_PROGRESS", "DETECTION_COMPLETE"
Detection = dict[str, Any]


@operation("cloudformation", "DetectStackDrift")
def detect_stack_drift(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Errors: the stack is not at rest, or a detection of it is under way."""
    stack = stacks.get(context, params["StackName"])
    if stack["status"] not in _CHECKABLE:
        raise error(f"Drift detection cannot be performed on stack [{stack['id']}] while it is in {stack['status']} status")
    latest = latest_of(context, stack)
    if latest is not None and _status(context, latest) == _RUNNING:
        raise error(f"Drift detection is already in progress for stack [{stack['id']}]")
    wanted = params.get("LogicalResourceIds")
    unknown = sorted(set(wanted or ()) - set(stack["resources"]))
    if unknown:
        raise error(f"Resources [{', '.join(unknown)}] do not exist in stack [{stack['name']}]")
    acting = context.as_source("cloudformation")
    rows = [_row(acting, stack, name, context.timestamp) for name in stack["resources"] if wanted is None or name in wanted]
    drifted = [row for row in rows if row["StackResourceDriftStatus"] in ("MODIFIED", "DELETED")]
    detection: Detection = {
        "id": str(uuid.uuid4()),
        "stack": stack["id"],
        "updated": stack["updated"],
        "at": context.timestamp,
        "timeline": timeline.begin(context.now, (_RUNNING, duration("cloudformation.drift")), _DONE),
        "status": "DRIFTED" if drifted else "IN_SYNC",
        "count": len(drifted),
        "resources": rows,
    }
    store = context.world.store
    kept = {"detections": [detection, *_detections(context, stack["id"])[:1]], "timeline": detection["timeline"]}
    store.put(_KIND, context.scope, stack["id"], kept)
    store.put(_IDS, context.scope, detection["id"], {"stack": stack["id"]})
    for old in store.keys(_IDS, context.scope)[:-_KEPT]:
        store.delete(_IDS, context.scope, old)
    return {"StackDriftDetectionId": detection["id"]}


@operation("cloudformation", "DescribeStackDriftDetectionStatus")
def describe_stack_drift_detection_status(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    identifier = params["StackDriftDetectionId"]
    known = context.world.store.get(_IDS, context.scope, identifier)
    rows = _detections(context, known["stack"]) if known else []
    detection = next((one for one in rows if one["id"] == identifier), None)
    if detection is None:
        raise error(f"Drift detection with id {identifier} does not exist")
    status = _status(context, detection)
    told = {
        "StackId": detection["stack"],
        "StackDriftDetectionId": detection["id"],
        "DetectionStatus": status,
        "Timestamp": detection["at"],
    }
    if status == _DONE:
        told |= {"StackDriftStatus": detection["status"], "DriftedStackResourceCount": detection["count"]}
    return told


@operation("cloudformation", "DescribeStackResourceDrifts")
def describe_stack_resource_drifts(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    stack = stacks.get(context, params["StackName"])
    done = finished_of(context, stack)
    wanted = params.get("StackResourceDriftStatusFilters")
    rows = done["resources"] if done else []
    return {"StackResourceDrifts": [row for row in rows if not wanted or row["StackResourceDriftStatus"] in wanted]}


def latest_of(context: Context, stack: stacks.Stack) -> Detection | None:
    """The last detection since the stack's last update."""
    return next((one for one in _detections(context, stack["id"]) if one["updated"] == stack["updated"]), None)


def finished_of(context: Context, stack: stacks.Stack) -> Detection | None:
    """The last one that is over."""
    mine = (one for one in _detections(context, stack["id"]) if one["updated"] == stack["updated"])
    return next((one for one in mine if _status(context, one) == _DONE), None)


def _detections(context: Context, stack_id: str) -> list[Detection]:
    found = context.world.store.get(_KIND, context.scope, stack_id)
    rows: list[Detection] = found["detections"] if found else []
    return rows


def of_stack(context: Context, stack: stacks.Stack) -> dict[str, Any]:
    """DriftInformation of DescribeStacks."""
    done = finished_of(context, stack)
    if done is None:
        return {"StackDriftStatus": "NOT_CHECKED"}
    return {"StackDriftStatus": done["status"], "LastCheckTimestamp": done["at"]}


def of_resource(context: Context, stack: stacks.Stack, logical_id: str) -> dict[str, Any]:
    """DriftInformation of DescribeStackResources."""
    done = finished_of(context, stack)
    row = next((one for one in (done or {}).get("resources", []) if one["LogicalResourceId"] == logical_id), None)
    if row is None or row["StackResourceDriftStatus"] == "NOT_CHECKED":
        return {"StackResourceDriftStatus": "NOT_CHECKED"}
    return {"StackResourceDriftStatus": row["StackResourceDriftStatus"], "LastCheckTimestamp": row["Timestamp"]}


def _status(context: Context, detection: Detection) -> str:
    return timeline.status(detection["timeline"], context.now)


def _row(context: Context, stack: stacks.Stack, logical_id: str, at: float) -> dict[str, Any]:
    resource = stack["resources"][logical_id]
    expected: dict[str, Any] = resource["properties"] or {}
    row = {
        "StackId": stack["id"],
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": resource["physical_id"],
        "ResourceType": resource["type"],
        "StackResourceDriftStatus": "NOT_CHECKED",
        "Timestamp": at,
    }
    if not checkable(resource["type"]):
        return row
    row["ExpectedProperties"] = json.dumps(expected, sort_keys=True)
    found = as_it_is(context, stack, logical_id, expected)
    if found is None:
        return {**row, "StackResourceDriftStatus": "DELETED"}
    different = differences(expected, found)
    row["ActualProperties"] = json.dumps({name: found[name] for name in sorted(expected) if name in found}, sort_keys=True)
    row["PropertyDifferences"] = different
    row["StackResourceDriftStatus"] = "MODIFIED" if different else "IN_SYNC"
    return row


def checkable(kind: str) -> bool:
    """Whether that type's actual state can be compared."""
    return kind in actual.READERS


def as_it_is(context: Context, stack: stacks.Stack, logical_id: str, expected: dict[str, Any]) -> dict[str, Any] | None:
    """The actual properties of a resource of a checkable type, without tags that come from the stack; None when it is gone."""
    resource = stack["resources"][logical_id]
    work = Work(context, stack["name"], stack["id"], logical_id, resource["type"], expected, resource["physical_id"], stack["tags"])
    try:
        found = actual.READERS[resource["type"]](work)
    except actual.Gone:
        return None
    except AWSError as failure:
        if not reasons.missing(failure):
            raise
        return None
    return _without_stack_tags(found, expected, stack)


def _without_stack_tags(found: dict[str, Any], expected: dict[str, Any], stack: stacks.Stack) -> dict[str, Any]:
    """Tags of the stack reach its resources and are no difference."""
    if "Tags" not in found or "Tags" not in expected:
        return found
    own = {tag["Key"] for tag in expected["Tags"]}
    stacks_own = {tag["Key"] for tag in stack["tags"]} - own
    return {**found, "Tags": [tag for tag in found["Tags"] if tag["Key"] not in stacks_own]}
