"""An answer has at most so many tokens. They are estimated here from above, without a model's vocabulary; a test counts with a real one."""

from __future__ import annotations

import json
import re
from typing import Any

ANSWER = 2000
"""Tokens of an answer, text and structured content together."""
_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|\s+|[^A-Za-z0-9\s]")
_CUTS = ((40, 240), (20, 160), (12, 120), (8, 90), (5, 60), (3, 40), (1, 24))
"""How long lists and texts may be, one attempt after the other."""


def estimate(text: str) -> int:
    """At least as many as o200k_base makes of our answers: letters by five, digits by three, signs one by one."""
    count = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        first = piece[0]
        if first.isspace():
            # A space goes with the letters after it, and stands alone before digits.
            count += piece.count("\n") + text[match.end() : match.end() + 1].isdigit()
        elif first.isascii() and first.isalpha():
            count += 1 if len(piece) <= 6 else -(-len(piece) // 5)
        elif first.isdigit():
            count += -(-len(piece) // 3)
        else:
            count += 1 if first.isascii() else 2
    return count


def compact(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def render(data: dict[str, Any]) -> str:
    """The data as lines: `name: value`, and a list of alike things as a table."""
    return "\n".join(_lines(data, ""))


def _lines(data: dict[str, Any], indent: str) -> list[str]:
    lines: list[str] = []
    for name, value in data.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            columns = list(dict.fromkeys(column for row in value for column in row))
            lines.append(f"{indent}{name}: {' | '.join(columns)}")
            lines += [f"{indent}- {' | '.join(_cell(row.get(column)) for column in columns)}" for row in value]
        elif isinstance(value, dict) and any(isinstance(inner, dict | list) for inner in value.values()):
            lines += [f"{indent}{name}:", *_lines(value, indent + " ")]
        else:
            lines.append(f"{indent}{name}: {_cell(value)}")
    return lines


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(_cell(inner) for inner in value) or "-"
    return compact(value) if isinstance(value, dict) else str(value)


def written(headline: str, data: dict[str, Any]) -> str:
    return "\n".join(part for part in (headline, render(data)) if part)


def fits(headline: str, data: dict[str, Any], most: int = ANSWER) -> bool:
    return estimate(written(headline, data)) + estimate(compact(data)) <= most


def fit(headline: str, data: dict[str, Any], most: int = ANSWER) -> dict[str, Any]:
    """The data, its lists and texts cut until it fits; then it says `truncated`."""
    if fits(headline, data, most):
        return data
    for longest_list, longest_text in _CUTS:
        cut: dict[str, Any] = {**_cut(data, longest_list, longest_text), "truncated": True}
        if fits(headline, cut, most):
            return cut
    return {"truncated": True, "note": "Too large to show: ask for fewer `fields`, or narrow it with `where`."}


def _cut(value: Any, longest_list: int, longest_text: int) -> Any:
    if isinstance(value, dict):
        shown = {name: _cut(inner, longest_list, longest_text) for name, inner in list(value.items())[: longest_list + 12]}
        return shown
    if isinstance(value, list):
        return [_cut(inner, longest_list, longest_text) for inner in value[:longest_list]]
    if isinstance(value, str) and len(value) > longest_text:
        marked = value.endswith("</untrusted>")
        return value[:longest_text].removesuffix("<") + ("…</untrusted>" if marked else "…")
    return value
