"""JSON bodies, for the json and rest-json protocols."""

from __future__ import annotations

import json
from typing import Any

from sandbox.aws.protocol import values

MAX_DEPTH = 100


def read(body: bytes) -> Any:
    """The document of a body; an empty one is an empty object."""
    if not body.strip():
        return {}
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise values.malformed("The request body is not JSON.") from error


def decode(shape: Any, value: Any, where: str = "", depth: int = 0) -> Any:
    """A JSON value as handlers see it: only members of the model, nulls left out."""
    if depth > MAX_DEPTH:
        raise values.malformed("The request is nested too deeply.")
    kind = shape.type_name
    if kind == "structure":
        if getattr(shape, "is_document_type", False):
            return value
        if not isinstance(value, dict):
            raise values.malformed(f"{where or 'The request'}: expected a JSON object")
        return structure(shape, value, where, depth)
    if kind == "list":
        if not isinstance(value, list):
            raise values.malformed(f"{where}: expected a JSON array")
        return [
            decode(shape.member, item, f"{where}.{index + 1}.member", depth + 1) for index, item in enumerate(value) if item is not None
        ]
    if kind == "map":
        if not isinstance(value, dict):
            raise values.malformed(f"{where}: expected a JSON object")
        return {key: decode(shape.value, item, f"{where}.{key}", depth + 1) for key, item in value.items() if item is not None}
    return values.scalar(shape, value, where, text=False)


def structure(shape: Any, value: dict[str, Any], where: str = "", depth: int = 0) -> dict[str, Any]:
    decoded: dict[str, Any] = {}
    for name, member in shape.members.items():
        wire_name = member.serialization.get("name", name)
        if value.get(wire_name) is not None and "location" not in member.serialization:
            decoded[name] = decode(member, value[wire_name], f"{where}.{name}" if where else name, depth + 1)
    return decoded


def encode(shape: Any, value: Any) -> Any:
    """A handler's value as JSON; what the shape does not know is left out."""
    kind = shape.type_name
    if kind == "structure":
        if getattr(shape, "is_document_type", False):
            return value
        return {
            member.serialization.get("name", name): encode(member, value[name])
            for name, member in shape.members.items()
            if value.get(name) is not None and "location" not in member.serialization
        }
    if kind == "list":
        return [encode(shape.member, item) for item in value]
    if kind == "map":
        return {key: encode(shape.value, item) for key, item in value.items()}
    if kind == "timestamp":
        return values.timestamp_text(value, shape.serialization.get("timestampFormat", "unixTimestamp"))
    if kind == "blob":
        return values.base64_text(value)
    return value
