"""Expected properties against actual ones: only what the template sets counts, as in CloudFormation's drift detection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Difference = dict[str, str]
_UNORDERED_KEYS = ("Key", "PolicyName", "Type")
"""Members by which the items of a list are one and the same, in any order."""


def differences(expected: dict[str, Any], actual: dict[str, Any]) -> list[Difference]:
    """[{PropertyPath, ExpectedValue, ActualValue, DifferenceType}]."""
    return [one for name in sorted(expected) if name in actual for one in _compare(f"/{name}", expected[name], actual[name])]


def _compare(path: str, expected: Any, actual: Any) -> Iterator[Difference]:
    if isinstance(expected, str) and isinstance(actual, dict | list):
        expected = _read(expected)  # templates may write documents as text
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted({*expected, *actual} if _is_free(path) else expected):
            if key not in actual:
                yield _told(f"{path}/{key}", expected[key], None, "REMOVE")
            elif key not in expected:
                yield _told(f"{path}/{key}", None, actual[key], "ADD")
            else:
                yield from _compare(f"{path}/{key}", expected[key], actual[key])
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _compare_lists(path, expected, actual)
    elif actual is None:
        yield _told(path, expected, None, "REMOVE")
    elif _plain(expected) != _plain(actual):
        yield _told(path, expected, actual, "NOT_EQUAL")


def _compare_lists(path: str, expected: list[Any], actual: list[Any]) -> Iterator[Difference]:
    left, right = {_identity(one): one for one in expected}, {_identity(one): one for one in actual}
    for position, (key, one) in enumerate(left.items()):
        if key not in right:
            yield _told(f"{path}/{position}", one, None, "REMOVE")
        elif isinstance(one, dict):
            yield from _compare(f"{path}/{position}", one, right[key])
    for position, (key, one) in enumerate(right.items()):
        if key not in left:
            yield _told(f"{path}/{position}", None, one, "ADD")


def _identity(value: Any) -> str:
    if isinstance(value, dict):
        named = next((str(value[key]) for key in _UNORDERED_KEYS if key in value), None)
        if named is not None:
            return named
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else _plain(value)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_free(path: str) -> bool:
    """Policy documents count as a whole: a statement's new member is a difference too."""
    return "Document" in path


def _plain(value: Any) -> str:
    """Templates may write numbers and booleans as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _told(path: str, expected: Any, actual: Any, kind: str) -> Difference:
    return {"PropertyPath": path, "ExpectedValue": shown(expected), "ActualValue": shown(actual), "DifferenceType": kind}


def shown(value: Any) -> str:
    if value is None:
        return "null"
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else _plain(value)
