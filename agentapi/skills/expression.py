"""The language of a skill's steps: JMESPath (that of `aws --query`) over the answers so far, by the id of their step, and over `input`.

`${…}` in a text is replaced by what the expression finds. A text that is nothing but one `${…}` keeps what was found: a number stays a
number, and an argument whose value is null is left out. Specification: https://jmespath.org/specification.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

HOLE = re.compile(r"\$\{([^{}]*)\}")


class ExpressionError(ValueError):
    """An expression that can't be read or evaluated; says which."""


def evaluate(expression: str, known: Mapping[str, Any]) -> Any:
    """What the expression finds. Raises ExpressionError."""
    try:
        return jmespath.search(expression, known)
    except JMESPathError as problem:
        raise ExpressionError(f"{expression!r} can't be evaluated: {problem}") from problem


def holds(expression: str, known: Mapping[str, Any]) -> bool:
    """Whether a condition is true: exactly true, for a null or an empty list is no yes. Raises ExpressionError."""
    return evaluate(expression, known) is True


def fill(value: Any, known: Mapping[str, Any]) -> Any:
    """A step's value with every `${…}` replaced; arguments that turn out null are left out. Raises ExpressionError."""
    if isinstance(value, Mapping):
        filled = {key: fill(item, known) for key, item in value.items()}
        return {key: item for key, item in filled.items() if item is not None}
    if isinstance(value, list):
        return [fill(item, known) for item in value]
    if not isinstance(value, str):
        return value
    whole = HOLE.fullmatch(value)
    if whole:
        return evaluate(whole.group(1), known)
    return HOLE.sub(lambda hole: _text(evaluate(hole.group(1), known)), value)


def expressions_in(value: Any) -> Iterator[str]:
    """Every expression within `${…}`, however deep."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from expressions_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from expressions_in(item)
    elif isinstance(value, str):
        yield from HOLE.findall(value)


def roots(expression: str) -> set[tuple[str, str]]:
    """What an expression starts from: pairs of a name and the field asked of it ("" for all of it), such as ("plan", "fingerprint").

    Raises ExpressionError when it can't be read.
    """
    try:
        parsed = jmespath.compile(expression).parsed
    except JMESPathError as problem:
        raise ExpressionError(f"{expression!r} can't be read: {problem}") from problem
    return set(_roots(parsed))


def _roots(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Only what is evaluated over the whole: the right side of a dot or a pipe, and the inside of a projection, see a part of it."""
    kind, children = node["type"], node["children"]
    if kind == "field":
        yield node["value"], ""
    elif kind == "subexpression":
        names = _spine(node)
        if names:
            yield names[0], names[1] if len(names) > 1 else ""
        else:
            yield from _roots(children[0])
    elif kind in ("projection", "value_projection", "filter_projection", "flatten", "pipe", "index_expression"):
        yield from _roots(children[0])
    else:
        for child in children:
            if isinstance(child, Mapping):
                yield from _roots(child)


def _spine(node: Mapping[str, Any]) -> list[str]:
    """The names that a path begins with, as far as they are plain: a, b of `a.b[0].c`."""
    if node["type"] == "field":
        return [node["value"]]
    if node["type"] == "subexpression":
        return [name for child in node["children"] for name in _spine(child)]
    return _spine(node["children"][0]) if node["type"] == "index_expression" else []


def _text(found: Any) -> str:
    if found is None:
        return "unknown"
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, list):
        return ", ".join(_text(item) for item in found) or "none"
    return str(found)
