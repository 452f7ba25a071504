"""EC2's filters: every name must match (and), any of its values may (or), `*` and `?` are wildcards, `\\` escapes them.

Source: EC2 API reference, "Using filtering"; an unknown name is InvalidParameterValue "The filter '…' is invalid".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from sandbox.aws.errors import AWSError

Record = dict[str, Any]
Reader = Callable[[Record], Any]
"""Gives the value(s) of a record that a filter compares: a string, bool, number, None or an iterable of those."""


@lru_cache(maxsize=1024)
def _pattern(value: str) -> re.Pattern[str]:
    parts: list[str] = []
    characters = iter(value)
    for character in characters:
        if character == "\\":
            parts.append(re.escape(next(characters, "\\")))
        elif character == "*":
            parts.append(".*")
        elif character == "?":
            parts.append(".")
        else:
            parts.append(re.escape(character))
    return re.compile("".join(parts), re.DOTALL)


def matches(wanted: Iterable[str], found: str) -> bool:
    return any(_pattern(value).fullmatch(found) for value in wanted)


def texts(value: Any) -> list[str]:
    """The strings a filter compares with: booleans are `true` and `false`, None is nothing."""
    if value is None:
        return []
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, str | int | float):
        return [str(value)]
    return [text for item in value for text in texts(item)]


def _tag_values(name: str, record: Record) -> list[str]:
    tags = record.get("Tags") or []
    if name.startswith("tag:"):
        return [tag.get("Value", "") for tag in tags if tag["Key"] == name[4:]]
    return [tag["Key"] for tag in tags]


def apply(records: Iterable[Record], filters: list[dict[str, Any]] | None, readers: Mapping[str, Reader]) -> list[Record]:
    """The records that pass all `filters` ([{Name, Values}] as on the wire)."""
    kept = list(records)
    for condition in filters or []:
        name = condition.get("Name", "")
        wanted = condition.get("Values")
        if not wanted:
            raise AWSError("InvalidParameterValue", f"The filter '{name}' has no values; give at least one")
        if len(wanted) > 200:
            raise AWSError(
                "FilterLimitExceeded", f"The maximum number of filter values specified on a single call is 200; '{name}' has {len(wanted)}"
            )
        if name.startswith("tag:") or name == "tag-key":
            kept = [record for record in kept if any(matches(wanted, text) for text in _tag_values(name, record))]
        elif name in readers:
            reader = readers[name]
            kept = [record for record in kept if any(matches(wanted, text) for text in texts(reader(record)))]
        else:
            raise AWSError("InvalidParameterValue", f"The filter '{name}' is invalid")
    return kept


def members(**names: str) -> dict[str, Reader]:
    """Readers for plain members: `members(vpc_id="VpcId")` gives the filter `vpc-id`."""

    def reader(member: str) -> Reader:
        return lambda record: record.get(member)

    return {name.replace("_", "-"): reader(member) for name, member in names.items()}
