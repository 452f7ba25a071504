"""logs: streams."""

from __future__ import annotations

from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.logs import stream as stream_module
from sandbox.aws.logs.group import arn_of, find, find_by_identifier
from sandbox.aws.logs.stream import KIND, Stream, scope
from sandbox.aws.registry import operation


@operation("logs", "CreateLogStream")
def create_log_stream(context: Context, params: dict[str, Any]) -> None:
    group = find(context, params["logGroupName"])["name"]
    name = params["logStreamName"]
    if context.world.store.get(KIND, scope(context, group), name) is not None:
        raise AWSError("ResourceAlreadyExistsException", "The specified log stream already exists")
    stream = {
        "name": name,
        "created_at": context.timestamp,
        "first_block": 0,
        "last_block": 0,
        "bytes": 0,
        "first_event": None,
        "last_event": None,
        "last_ingestion": None,
    }
    context.world.store.put(KIND, scope(context, group), name, stream)


@operation("logs", "DeleteLogStream")
def delete_log_stream(context: Context, params: dict[str, Any]) -> None:
    group = find(context, params["logGroupName"])["name"]
    stream_module.delete(context, group, stream_module.find(context, group, params["logStreamName"]))


@operation("logs", "DescribeLogStreams")
def describe_log_streams(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    group = find_by_identifier(context, params)["name"]
    prefix, by_time = params.get("logStreamNamePrefix", ""), params.get("orderBy") == "LastEventTime"
    if prefix and by_time:
        raise AWSError("InvalidParameterException", "Cannot order by LastEventTime with a logStreamNamePrefix.")
    found = [stream for stream in context.world.store.list(KIND, scope(context, group)) if stream["name"].startswith(prefix)]
    found.sort(
        key=lambda stream: (stream["last_event"] or 0, stream["name"]) if by_time else (0, stream["name"]),
        reverse=params.get("descending", False),
    )
    return {"logStreams": [_shown(context, group, stream) for stream in found]}


def delete_all(context: Context, group: str) -> None:
    for stream in context.world.store.list(KIND, scope(context, group)):
        stream_module.delete(context, group, stream)


def stored_bytes(context: Context, group: str) -> int:
    return sum(stream["bytes"] for stream in context.world.store.list(KIND, scope(context, group)))


def _shown(context: Context, group: str, stream: Stream) -> dict[str, Any]:
    shown = {
        "logStreamName": stream["name"],
        "creationTime": int(stream["created_at"] * 1000),
        "arn": f"{arn_of(context, group)}:log-stream:{stream['name']}",
        "uploadSequenceToken": str(10**20 + stream["bytes"]),
        "storedBytes": 0,  # CloudWatch has reported 0 for streams since 2019
    }
    for member, key in (
        ("firstEventTimestamp", "first_event"),
        ("lastEventTimestamp", "last_event"),
        ("lastIngestionTime", "last_ingestion"),
    ):
        if stream[key] is not None:
            shown[member] = stream[key]
    return shown
