"""Asks each server each question at 100 and 1,000 pods, in one run, on one cluster."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from bpe_openai import get_encoding

from agentapi.budget import compact
from bench import child
from bench.peers import install, world
from bench.peers.questions import QUESTIONS, Asked, Way, missing
from bench.peers.servers import OTHERS, OURS, connected
from bench.peers.world import Facts, World
from bench.result import Row, percentile

PODS = (100, 1000)
SHORT_PODS = (30,)
TIMES, SHORT_TIMES = 30, 3
TOKENS_GOAL, P50_GOAL = 2000, 0.060
PART = 200_000
"""Characters."""
ENCODING = get_encoding("o200k_base")


@dataclass
class Seen:
    """Of one question to one server. text, tokens, calls: of the last answer."""

    seconds: list[float] = field(default_factory=list)
    text: str = ""
    tokens: int = 0
    calls: int = 0
    missing: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def bench(setting: child.Setting) -> list[Row]:
    with world.stand(setting.folder) as made:
        rows = [_told(_schema(name, made)) for name in (OURS, *OTHERS)]
        for pods in SHORT_PODS if setting.short else PODS:
            facts = world.fill(made, pods)
            for question, ways in QUESTIONS.items():
                for name in (OURS, *OTHERS):
                    rows.append(_told(_asked(name, question, ways.get(name), made, facts, SHORT_TIMES if setting.short else TIMES)))
    return rows


def _told(row: Row) -> Row:
    """The row, said at once: the whole takes minutes."""
    print(f"{row.what}: {row.measured}", file=sys.stderr, flush=True)
    return row


def counted(text: str) -> int:
    """Tokens. The encoder takes no more than 200,000 at once: a text is cut at ends of lines, where tokens end too."""
    return sum(len(ENCODING.encode(part)) for part in _parts(text))


def _parts(text: str) -> Iterator[str]:
    while len(text) > PART:
        cut = text.rfind("\n", 0, PART) + 1 or PART
        yield text[:cut]
        text = text[cut:]
    yield text


def _schema(name: str, made: World) -> Row:
    async def count() -> tuple[int, int, int]:
        async with connected(name, made) as client:
            tools = (await client.list_tools()).tools
            shown = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
            read = [{member: value for member, value in tool.items() if member != "outputSchema"} for tool in shown]
            return len(tools), counted(compact(shown)), counted(compact(read))

    what = f"{name}: tools/list"
    try:
        tools, tokens, read = asyncio.run(count())
    except install.NotInstalled as error:
        return Row(what, f"not installed: {error}")
    measured = f"{tools} tools, {tokens:,} tokens, {read:,} without the schemas of answers"
    return Row(what, measured, numbers={"tools": tools, "tokens": tokens, "read": read})


def _asked(name: str, question: str, way: Way | None, made: World, facts: Facts, times: int) -> Row:
    what = f"{question}, {facts.pods:,} pods: {name}"
    if way is None:
        return Row(what, "no tool of it tells that")
    try:
        seen = asyncio.run(_ask(name, way, made, facts, min(times, way.times or times)))
    except install.NotInstalled as error:
        return Row(what, f"not installed: {error}")
    seen.missing = missing(question, name, seen.text, facts)
    return _row(what, name, seen, goal=name == OURS and facts.pods == max(PODS))


async def _ask(name: str, way: Way, made: World, facts: Facts, times: int) -> Seen:
    seen = Seen()
    async with connected(name, made, *way.more) as client:
        for number in range(times + (times > 1)):
            asked = Asked(client, facts)
            began = time.perf_counter()
            await way.ask(asked)
            if number or times == 1:  # the first, in which clients and caches begin, is not counted where there are others
                seen.seconds.append(time.perf_counter() - began)
        seen.text, seen.tokens = asked.text, counted(asked.text)
        seen.calls, seen.errors = asked.calls, asked.errors
    return seen


def _row(what: str, name: str, seen: Seen, *, goal: bool) -> Row:
    p50, p99 = percentile(seen.seconds, 0.5), percentile(seen.seconds, 0.99)
    facts = "same facts present" if not seen.missing else f"{len(seen.missing)} facts missing ({seen.missing[0]})"
    if seen.errors:
        facts += f"; refused: {seen.errors[0]}"
    measured = f"{seen.tokens:,} tokens, {seen.calls} calls, p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, {facts}"
    numbers = {
        "tokens": float(seen.tokens),
        "calls": float(seen.calls),
        "p50_ms": p50 * 1000,
        "p99_ms": p99 * 1000,
        "times": float(len(seen.seconds)),
        "missing": float(len(seen.missing)),
    }
    if not goal:
        return Row(what, measured, numbers=numbers)
    met = seen.tokens <= TOKENS_GOAL and p50 <= P50_GOAL and not seen.missing
    return Row(what, measured, f"<= {TOKENS_GOAL:,} tokens, p50 <= {P50_GOAL * 1000:.0f} ms, facts", met, numbers)


if __name__ == "__main__":
    child.main(bench)
