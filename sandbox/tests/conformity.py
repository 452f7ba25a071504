"""Whether an answer is what the operation's output shape says, down to its leaves."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from botocore.model import Shape

_LEAVES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
    "timestamp": (int, float, datetime),
    "blob": (bytes, str),
}


def departures(shape: Shape | None, value: Any, where: str = "") -> list[str]:
    """One line for each place where `value` departs from `shape`."""
    if shape is None:
        return [] if not value else [f"{where}: an answer where there is none"]
    if shape.type_name == "structure":
        unknown = [f"{where}.{name}: not in the shape" for name in value if name not in shape.members]
        missing = [f"{where}.{name}: required" for name in shape.required_members if name not in value]
        inner = [
            line for name, member in shape.members.items() if name in value for line in departures(member, value[name], f"{where}.{name}")
        ]
        return unknown + missing + inner
    if shape.type_name == "list":
        return [line for index, item in enumerate(value) for line in departures(shape.member, item, f"{where}[{index}]")]
    if shape.type_name == "map":
        return [line for name, item in value.items() for line in departures(shape.value, item, f"{where}[{name}]")]
    if not isinstance(value, _LEAVES[shape.type_name]):
        return [f"{where}: {value!r} is no {shape.type_name}"]
    allowed = getattr(shape, "enum", None)
    return [f"{where}: {value!r} is none of {allowed}"] if allowed and value not in allowed else []
