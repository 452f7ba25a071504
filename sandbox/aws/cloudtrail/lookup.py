"""LookupEvents: management events of the last 90 days, newest first, by one attribute."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudtrail import limit
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_KEPT_SECONDS = 90 * 86_400.0
Row = tuple[str, float, dict[str, Any]]


@operation("cloudtrail", "LookupEvents")
def lookup_events(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    limit.check(context)
    if params.get("EventCategory"):
        raise AWSError("NotImplemented", "Insights events are not simulated by the sandbox.", 501)
    attributes = params.get("LookupAttributes") or []
    if len(attributes) > 1:
        raise AWSError("InvalidLookupAttributesException", "Only one lookup attribute can be specified.")
    now = context.timestamp
    start, end = _epoch(params.get("StartTime"), 0.0), _epoch(params.get("EndTime"), now)
    if start > end:
        raise AWSError("InvalidTimeRangeException", "The start time must be before the end time.")
    found = context.world.trail.told(context.account, context.region, max(start, now - _KEPT_SECONDS), end)
    return {"Events": [_told(context, row) for row in found if all(_matches(row, one) for one in attributes)]}


def _epoch(value: Any, otherwise: float) -> float:
    if value is None:
        return otherwise
    return float(value.timestamp()) if isinstance(value, datetime) else float(value)


def _matches(row: Row, attribute: dict[str, str]) -> bool:
    identifier, _, event = row
    wanted = attribute["AttributeValue"]
    key = attribute["AttributeKey"]
    if key == "ReadOnly":
        return wanted == "false"  # nothing that only reads is kept
    if key in ("ResourceName", "ResourceType"):
        return any(resource[key] == wanted for resource in event["resources"])
    member = {"EventName": "name", "EventSource": "source", "Username": "username", "AccessKeyId": "access_key"}.get(key, "")
    return wanted == (event.get(member) if member else identifier)


def _told(context: Context, row: Row) -> dict[str, Any]:
    identifier, at, event = row
    moment = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    whole: dict[str, Any] = {
        "eventVersion": "1.11",
        "userIdentity": event["identity"],
        "eventTime": moment,
        "eventSource": event["source"],
        "eventName": event["name"],
        "awsRegion": context.region,
        "sourceIPAddress": event["address"],
        "userAgent": event["agent"],
        **{name: event[name] for name in ("errorCode", "errorMessage") if name in event},
        "requestParameters": event["parameters"],
        "responseElements": None,
        "requestID": event["request_id"],
        "eventID": identifier,
        "readOnly": False,
        "eventType": "AwsApiCall",
        "managementEvent": True,
        "recipientAccountId": context.account,
        "eventCategory": "Management",
    }
    told: dict[str, Any] = {
        "EventId": identifier,
        "EventName": event["name"],
        "ReadOnly": "false",
        "EventTime": float(int(at)),  # whole seconds, as AWS tells them
        "EventSource": event["source"],
        "Username": event["username"],
        "Resources": event["resources"],
        "CloudTrailEvent": json.dumps(whole),
    }
    if event["access_key"]:
        told["AccessKeyId"] = event["access_key"]
    return told
