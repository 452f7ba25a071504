"""Conditions that verify a change: "<path> is <value>", alternatives joined by " or ", conditions by " and ".

The path leads into the structured content of the verifying tool, by dots; a value is a word, a number, true, false or none.
For example "state is ready", "error.code is not_found", "current_count is 4 and status is InService".
"""

from __future__ import annotations

import json
import re
from typing import Any

_CONDITION = re.compile(r"([a-z_][a-z0-9_.]*) is ([^\s]+(?: or [^\s]+)*)", re.IGNORECASE)


def holds(until: str, data: Any) -> bool:
    """Whether it holds. ValueError for what is no condition."""
    return all(_one(part, data) for part in until.split(" and "))


def _one(condition: str, data: Any) -> bool:
    match = _CONDITION.fullmatch(condition.strip())
    if match is None:
        raise ValueError(f"{condition!r} is no condition: write '<path> is <value>'")
    found = data
    for part in match[1].split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return _said(found) in match[2].split(" or ")


def _said(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value)
