"""A stream's events, kept in blocks so that an append writes little; the oldest go when a stream grows beyond its bound."""

from __future__ import annotations

from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError

KIND = "_logs.stream"  # scope: account/region/group, key: stream
_BLOCKS = "_logs.events"  # the same scope, key: stream + ":" + number
_BLOCK = 200  # events
MAX_EVENTS = 20_000  # of one stream

Stream = dict[str, Any]
Event = dict[str, Any]  # timestamp, ingestionTime (epoch milliseconds), message


def scope(context: Context, group: str) -> str:
    return f"{context.scope}/{group}"


def find(context: Context, group: str, name: str) -> Stream:
    stream = context.world.store.get(KIND, scope(context, group), name)
    if stream is None:
        raise AWSError("ResourceNotFoundException", "The specified log stream does not exist.")
    return stream


def append(context: Context, group: str, stream: Stream, events: list[Event]) -> None:
    where, store = scope(context, group), context.world.store
    for event in events:
        number = stream["last_block"]
        block = store.get(_BLOCKS, where, f"{stream['name']}:{number}") or {"events": []}
        if len(block["events"]) >= _BLOCK:
            number = stream["last_block"] = number + 1
            block = {"events": []}
        block["events"].append(event)
        store.put(_BLOCKS, where, f"{stream['name']}:{number}", block)
        stream["bytes"] += len(event["message"].encode()) + 26
    while (stream["last_block"] - stream["first_block"] + 1) * _BLOCK > MAX_EVENTS:
        store.delete(_BLOCKS, where, f"{stream['name']}:{stream['first_block']}")
        stream["first_block"] += 1
    times = [event["timestamp"] for event in events]
    stream["first_event"] = min([*times, *([stream["first_event"]] if stream["first_event"] is not None else [])])
    stream["last_event"] = max([*times, *([stream["last_event"]] if stream["last_event"] is not None else [])])
    stream["last_ingestion"] = max(event["ingestionTime"] for event in events)
    store.put(KIND, where, stream["name"], stream)


def events(context: Context, group: str, stream: Stream) -> list[Event]:
    """All events, in order of time."""
    found: list[Event] = []
    for number in range(stream["first_block"], stream["last_block"] + 1):
        block = context.world.store.get(_BLOCKS, scope(context, group), f"{stream['name']}:{number}")
        found += block["events"] if block else []
    return sorted(found, key=lambda event: int(event["timestamp"]))


def delete(context: Context, group: str, stream: Stream) -> None:
    where, store = scope(context, group), context.world.store
    for number in range(stream["first_block"], stream["last_block"] + 1):
        store.delete(_BLOCKS, where, f"{stream['name']}:{number}")
    store.delete(KIND, where, stream["name"])
