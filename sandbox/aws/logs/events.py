"""logs: writing and reading events."""

from __future__ import annotations

import json
import re
from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.logs import stream as stream_module
from sandbox.aws.logs.group import find, find_by_identifier
from sandbox.aws.logs.stream import KIND, scope
from sandbox.aws.registry import operation

_DAY = 86_400_000  # milliseconds
_OLDEST, _NEWEST = 14 * _DAY, 2 * 3_600_000
_MAX_BATCH = 1_048_576
_MAX_PAGE = 10_000
_TERM = re.compile(r'([?-]?)(?:"((?:[^"\\]|\\.)*)"|(\S+))')


@operation("logs", "PutLogEvents")
def put_log_events(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    group = find(context, params["logGroupName"])["name"]
    stream = stream_module.find(context, group, params["logStreamName"])
    given = params["logEvents"]
    times = [event["timestamp"] for event in given]
    if times != sorted(times):
        raise AWSError("InvalidParameterException", "Log events in a single PutLogEvents request must be in chronological order.")
    if times[-1] - times[0] > _DAY:
        raise AWSError(
            "InvalidParameterException", "The batch of log events in a single PutLogEvents request cannot span more than 24 hours."
        )
    if sum(len(event["message"].encode()) + 26 for event in given) > _MAX_BATCH:
        raise AWSError("InvalidParameterException", f"Upload too large: the batch exceeds {_MAX_BATCH} bytes")
    now = int(context.timestamp * 1000)
    too_old = sum(1 for at in times if at < now - _OLDEST)
    too_new = next((index for index, at in enumerate(times) if at > now + _NEWEST), None)
    kept = [
        {"timestamp": event["timestamp"], "message": event["message"], "ingestionTime": now}
        for event in given[too_old : too_new if too_new is not None else len(given)]
    ]
    if kept:
        stream_module.append(context, group, stream, kept)
    rejected: dict[str, Any] = {}
    if too_old:
        rejected["tooOldLogEventEndIndex"] = too_old
    if too_new is not None:
        rejected["tooNewLogEventStartIndex"] = too_new
    reply: dict[str, Any] = {"nextSequenceToken": str(10**20 + stream["bytes"])}
    if rejected:
        reply["rejectedLogEventsInfo"] = rejected
    return reply


@operation("logs", "GetLogEvents")
def get_log_events(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    group = find_by_identifier(context, params)["name"]
    found = stream_module.events(context, group, stream_module.find(context, group, params["logStreamName"]))
    found = [event for event in found if _within(event, params)]
    limit = params.get("limit", _MAX_PAGE)
    start, end = _window(params, len(found), limit)
    return {
        "events": [{key: event[key] for key in ("timestamp", "message", "ingestionTime")} for event in found[start:end]],
        "nextForwardToken": f"f/{end:056d}/s",
        "nextBackwardToken": f"b/{start:056d}/s",
    }


@operation("logs", "FilterLogEvents")
def filter_log_events(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    group = find_by_identifier(context, params)["name"]
    prefix, names = params.get("logStreamNamePrefix"), params.get("logStreamNames")
    if prefix and names:
        raise AWSError("InvalidParameterException", "Filter by either logStreamNames or logStreamNamePrefix, not both.")
    matches = _matcher(params.get("filterPattern", ""))
    found: list[dict[str, Any]] = []
    for stream in context.world.store.list(KIND, scope(context, group)):
        if stream["name"].startswith(prefix or "") and (not names or stream["name"] in names):
            for index, event in enumerate(stream_module.events(context, group, stream)):
                if _within(event, params, last_included=True) and matches(event["message"]):
                    found.append({**event, "logStreamName": stream["name"], "eventId": f"{event['timestamp']:020d}{index:036d}"})
    found.sort(key=lambda event: (event["timestamp"], event["eventId"]))
    start = _offset(params.get("nextToken"))
    end = start + params.get("limit", _MAX_PAGE)
    reply: dict[str, Any] = {"events": found[start:end], "searchedLogStreams": []}
    reply["nextToken"] = f"f/{end:056d}/s" if end < len(found) else None
    return reply


def _within(event: dict[str, Any], params: dict[str, Any], *, last_included: bool = False) -> bool:
    start, end = params.get("startTime"), params.get("endTime")
    at = event["timestamp"]
    return (start is None or at >= start) and (end is None or at < end or (last_included and at == end))


def _window(params: dict[str, Any], total: int, limit: int) -> tuple[int, int]:
    """Which events of `total` a page holds: by token, else the last ones, or the first with startFromHead."""
    token = params.get("nextToken")
    if token:
        offset = min(_offset(token), total)
        return (offset, min(offset + limit, total)) if token.startswith("f/") else (max(0, offset - limit), offset)
    return (0, min(limit, total)) if params.get("startFromHead") else (max(0, total - limit), total)


def _offset(token: str | None) -> int:
    if not token:
        return 0
    found = re.fullmatch(r"[fb]/(\d{56})/s", token)
    if found is None:
        raise AWSError("InvalidParameterException", "The specified nextToken is invalid.")
    return int(found[1])


def _matcher(pattern: str) -> Any:
    """Terms of a filter pattern: all of the plain and quoted ones, none with "-", any of those with "?".

    JSON and space-delimited patterns are not simulated and say so.
    """
    pattern = pattern.strip()
    if pattern.startswith(("{", "[", "%")):
        raise AWSError("NotImplemented", f"logs: filter patterns like {json.dumps(pattern[:40])} are not simulated by the sandbox.", 501)
    needed: list[str] = []
    excluded: list[str] = []
    either: list[str] = []
    for sign, quoted, plain in _TERM.findall(pattern):
        term = quoted.replace('\\"', '"') or plain
        {"": needed, "-": excluded, "?": either}[sign].append(term)

    def matches(message: str) -> bool:
        return (
            all(term in message for term in needed)
            and not any(term in message for term in excluded)
            and (not either or any(term in message for term in either))
        )

    return matches
