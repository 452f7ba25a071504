"""How a tool lists: one page of REST's list as short rows, as many as the answer has room for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentapi import budget
from agentapi.call import Call
from agentapi.errors import ToolError
from agentapi.inputs import Listing
from agentapi.outside import outside_all
from agentapi.rest import cursor_of
from agentapi.tool import Answer
from agentapi.words import slim

OURS = frozenset({"fields", "limit", "cursor", "dry_run", "plan_fingerprint", "wait", "format"})
"""Query parameters that are no filters."""
Row = Callable[[dict[str, Any]], dict[str, Any]]


async def page(
    call: Call,
    path: str,
    asked: Listing,
    row: Row,
    noun: str,
    *,
    said: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
) -> Answer:
    """said: further members of the answer, such as the cluster taken. params: filters that the tool itself sets; `where` adds to them."""
    query = {**_filters(asked), **(params or {}), "cursor": asked.cursor}
    if asked.fields:
        query["fields"] = ",".join(asked.fields)
    limit = asked.limit
    while True:
        found = await call.rest.get(path, {**query, "limit": limit})
        rows = [outside_all(one) if asked.fields else slim(row(one)) for one in found["results"]]
        answer = _answer(rows, cursor_of(found.get("next")), noun, said or {})
        room = _room(answer, rows)
        if room >= len(rows):
            return answer
        limit = room  # asked again, so that the cursor begins where this answer ends


def shown(call: Call, rows: list[dict[str, Any]], asked: Listing, row: Row, noun: str, said: Mapping[str, Any]) -> Answer:
    """The same for what REST answers whole: the cursor is the number of rows gone by."""
    begin = int(asked.cursor) if asked.cursor and asked.cursor.isdecimal() else 0
    chosen = [one for one in rows if _matches(one, asked)][begin:]
    limit = asked.limit
    while True:
        part = [outside_all({name: one.get(name) for name in asked.fields}) if asked.fields else slim(row(one)) for one in chosen[:limit]]
        following = str(begin + len(part)) if len(chosen) > len(part) else None
        answer = _answer(part, following, noun, said)
        room = _room(answer, part)
        if room >= len(part):
            return answer
        limit = room


def _answer(rows: list[dict[str, Any]], cursor: str | None, noun: str, said: Mapping[str, Any]) -> Answer:
    count = f"{len(rows)} {noun if len(rows) == 1 else plural(noun)}"
    headline = f"{count}, more with next_cursor." if cursor else f"{count}." if rows else f"No {plural(noun)}."
    return Answer(headline, {**said, "items": rows, **({"next_cursor": cursor} if cursor else {})})


def plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _room(answer: Answer, rows: list[dict[str, Any]]) -> int:
    """How many of these rows fit, at least one."""
    if budget.fits(answer.headline, answer.data):
        return len(rows)
    empty = {**answer.data, "items": []}
    left = budget.ANSWER - 80 - budget.estimate(budget.written(answer.headline, empty)) - budget.estimate(budget.compact(empty))
    count = 0
    for one in rows:
        left -= budget.estimate(budget.compact(one)) + budget.estimate(budget.render({"items": [one]}))
        if left < 0:
            break
        count += 1
    return max(1, min(count, len(rows) - 1)) if len(rows) > 1 else len(rows)


def _filters(asked: Listing) -> dict[str, Any]:
    wrong = sorted(OURS & set(asked.where or {}))
    if wrong:
        raise ToolError("no_filter", f"{', '.join(wrong)} is no filter.", "Give it beside `where`, not in it.")
    return dict(asked.where or {})


def _matches(one: Mapping[str, Any], asked: Listing) -> bool:
    """REST has no filters for what it answers whole: a filter compares the member of its name."""
    for name, wanted in (asked.where or {}).items():
        if name not in one:
            known = ", ".join(sorted(name for name, value in one.items() if not isinstance(value, dict | list)))
            raise ToolError("unknown_parameter", f"There is no filter {name}.", f"Known here: {known}.")
        values = wanted if isinstance(wanted, list) else [wanted]
        held = one[name] if isinstance(one[name], list) else [one[name]]
        if not {str(value).lower() for value in values} & {str(value).lower() for value in held}:
            return False
    return True
