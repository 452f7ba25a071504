"""JSON from outside: one reading of each document, or none."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

DEEPEST = 64
"""Levels of nesting. Nothing that we take has ten; what comes within reach of Python's own limit would fail somewhere behind."""


def loads(text: str | bytes) -> Any:
    """The document. Raises ValueError, with a sentence, for all that is no JSON, that is nested too deep, or that names a key twice."""
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError(_too_deep()) from None
    _measure(document)
    return document


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            # Readers differ on which one counts: what a person checked would not be what is carried out.
            raise ValueError(f"The key {json.dumps(key)[:80]} is in one object twice.")
        made[key] = value
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value.")


def _measure(document: Any) -> None:
    level = [document]
    for _ in range(DEEPEST):
        level = [
            inner for value in level if isinstance(value, dict | list) for inner in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise ValueError(_too_deep())


def _too_deep() -> str:
    return f"The document is nested deeper than {DEEPEST} levels."
