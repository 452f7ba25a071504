"""JSON schemas of tools, as short as they can be said: each is read by a model in every session."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

from agentapi.outputs import ErrorBody


@cache
def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """What is optional may be left out; that it may be null need not be said. Lengths and patterns are told when they are missed."""
    raw = model.model_json_schema()
    shown: dict[str, Any] = _short(raw, raw.get("$defs", {}), keep_required=True)
    return shown


@cache
def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Members of a good answer, or `error`."""
    raw, error = model.model_json_schema(mode="serialization"), ErrorBody.model_json_schema(mode="serialization")
    shown: dict[str, Any] = _short(raw, raw.get("$defs", {}), keep_required=False)
    shown.setdefault("properties", {})["error"] = _short(error, error.get("$defs", {}), keep_required=False)
    return shown


_DROPPED = frozenset(
    {"title", "default", "description", "$defs", "pattern", "patternProperties", "propertyNames"}
    | {"maxLength", "minLength", "maxItems", "minItems", "maxProperties"}
)


def _short(node: Any, definitions: dict[str, Any], *, keep_required: bool, field: bool = False) -> Any:
    if isinstance(node, list):
        return [_short(inner, definitions, keep_required=keep_required) for inner in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        rest = {name: value for name, value in node.items() if name != "$ref"}
        found = definitions[node["$ref"].rpartition("/")[2]]
        return _short({**found, "description": "", **rest}, definitions, keep_required=keep_required, field=field)
    if "anyOf" in node:
        choices = [choice for choice in node["anyOf"] if choice != {"type": "null"}]
        nullable = len(choices) < len(node["anyOf"])
        if len(choices) == 1:
            outer = {name: value for name, value in node.items() if name != "anyOf"}
            merged = _short({**choices[0], **outer}, definitions, keep_required=keep_required, field=field)
            if nullable and not keep_required and isinstance(merged.get("type"), str):
                merged["type"] = [merged["type"], "null"]
            return merged
    short: dict[str, Any] = {}
    for name, value in node.items():
        if name == "properties":
            short[name] = {key: _short(inner, definitions, keep_required=keep_required, field=True) for key, inner in value.items()}
        elif name == "required":
            if keep_required:
                short[name] = value
        elif name == "additionalProperties":
            if value is False:
                short[name] = False
        elif name == "description" and field and value:
            short[name] = value
        elif name in _DROPPED:
            continue
        elif name == "const":
            short["enum"] = [value]
        else:
            short[name] = _short(value, definitions, keep_required=keep_required)
    if "enum" in short:
        short.pop("type", None)
    return short
