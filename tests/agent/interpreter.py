"""An agent without a mind: follows the YAML blocks of a SKILL.md over MCP, to the letter, with nothing else at hand.

It knows no skill and no tool (test_interpreter.py sees to that) and imports nothing of the product. What it can't do by the text, the text
does not say. Conditions and `${…}` are JMESPath over the answers so far, by the id of their step, and over `input`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import jmespath
import yaml
from jmespath.exceptions import JMESPathError

HOLE = re.compile(r"\$\{([^{}]*)\}")
BLOCK = re.compile(r"^## \d+\. [^\n]*\n.*?^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEYS = {"id", "when", "ask", "call", "args", "until", "expect", "on_fail", "say"}
CALLS = 600
"""So often one step may call its tool until its condition holds; then the text waits for what does not come."""


PAUSE = 0.1
"""Seconds between two such calls: what is waited for happens in another process."""


class Answer(Protocol):
    """What a client's `call_tool` gives back."""

    @property
    def is_error(self) -> bool: ...
    @property
    def structured_content(self) -> Any: ...
    @property
    def content(self) -> Any: ...


class Client(Protocol):
    """The part of an MCP client that is needed here."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any: ...


class NotInTheTextError(Exception):
    """The text says something that can't be done, or uses what it never found."""


class StoppedError(Exception):
    """The text says to stop here; why."""


@dataclass
class Run:
    """calls: each call made, in order, with its arguments. said: what the person was told. known: the answers by step."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=lambda: {"input": {}})


Ask = Callable[[str, str, Any], Any]
"""(name, question, default) -> the person's answer."""
Watch = Callable[[str, Any], Awaitable[None]]
"""(step, answer), after each call: where a test kills the agent, or does the person's part."""


async def nobody(step: str, answer: Any) -> None:
    """Nobody watches."""


def steps_of(text: str) -> list[dict[str, Any]]:
    """The blocks in order. Raises NotInTheTextError when a step refers to one that is not there before it: then something is missing."""
    steps: list[dict[str, Any]] = [yaml.safe_load(block) for block in BLOCK.findall(text)]
    if not steps:
        raise NotInTheTextError("There is no step.")
    known = {"input"}
    asked: set[str] = set()
    for step in steps:
        unknown = set(step) - KEYS
        if unknown or "id" not in step:
            raise NotInTheTextError(f"A step has {', '.join(sorted(unknown)) or 'no id'}, which means nothing here.")
        asked |= {question["name"] for question in step.get("ask", [])}
        known.add(step["id"])
        for expression in expressions_of(step):
            for name, part in starts(expression):
                if name not in known or (name == "input" and part not in asked):
                    raise NotInTheTextError(f"{step['id']} uses {name}.{part}, which nothing before it finds.")
    if not steps[-1].get("say"):
        raise NotInTheTextError("The text does not say what to tell at the end.")
    targets = {step.get("on_fail", {}).get("go") for step in steps} - {None}
    if targets - known:
        raise NotInTheTextError(f"There is no step {', '.join(sorted(targets - known))} to go to.")
    return steps


def expressions_of(step: Mapping[str, Any]) -> list[str]:
    plain = [step.get("when"), step.get("until"), *step.get("expect", [])]
    return [expression for expression in plain if expression] + [hole for text in texts_in(step) for hole in HOLE.findall(text)]


def texts_in(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in texts_in(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts_in(item)]
    return [value] if isinstance(value, str) else []


def starts(expression: str) -> list[tuple[str, str]]:
    """The names an expression begins with, each with the field asked of it."""
    try:
        tree = jmespath.compile(expression).parsed
    except JMESPathError as problem:
        raise NotInTheTextError(f"{expression} can't be read: {problem}") from problem
    found: list[tuple[str, str]] = []

    def path(node: Any) -> list[str]:
        if node["type"] == "field":
            return [node["value"]]
        if node["type"] == "subexpression":
            return [name for child in node["children"] for name in path(child)]
        return path(node["children"][0]) if node["type"] == "index_expression" else []

    def walk(node: Any) -> None:
        names = path(node)
        if names:
            found.append((names[0], names[1] if len(names) > 1 else ""))
            return
        # What stands right of these sees a part of the whole only.
        first_only = node["type"] in ("projection", "value_projection", "filter_projection", "flatten", "pipe", "subexpression")
        for child in node["children"][:1] if first_only else node["children"]:
            if isinstance(child, dict):
                walk(child)

    walk(tree)
    return found


async def follow(text: str, client: Client, ask: Ask, watch: Watch = nobody, run: Run | None = None) -> Run:
    """Does what the text says, from its first step to its last.

    Raises StoppedError where it says to stop, NotInTheTextError where it can't be done.

    run: where to write down what is done, for who looks at it after a failure.
    """
    run = run if run is not None else Run()
    steps = steps_of(text)
    place, jumps = 0, 0
    while place < len(steps):
        step = steps[place]
        place += 1
        if step.get("when") and evaluate(step["when"], run.known) is not True:
            run.known.setdefault(step["id"], None)
            continue
        failure = await carry_out(step, client, ask, watch, run)
        if failure is None:
            continue
        then = step.get("on_fail", {})
        if not then.get("go"):
            raise StoppedError(filled(then.get("say", failure), run.known) + f" ({step['id']}: {failure})")
        jumps += 1
        if jumps > CALLS:
            raise NotInTheTextError(f"{step['id']} goes round in circles.")
        if then.get("say"):
            run.said.append(filled(then["say"], run.known))
        place = next(number for number, other in enumerate(steps) if other["id"] == then["go"])
    return run


async def carry_out(step: dict[str, Any], client: Client, ask: Ask, watch: Watch, run: Run) -> str | None:
    """One step. Returns what failed, None when all went as expected."""
    for question in step.get("ask", []):
        answer = ask(question["name"], filled(question["question"], run.known), filled(question.get("default"), run.known))
        run.known["input"][question["name"]] = answer
    if step.get("call"):
        for attempt in range(CALLS):
            arguments = filled(step.get("args", {}), run.known)
            run.calls.append((step["call"], arguments))
            answer = await client.call_tool(step["call"], arguments)
            run.known[step["id"]] = answer.structured_content
            await watch(step["id"], answer.structured_content)
            awaited = [condition for condition in (step.get("until"), *step.get("expect", [])) if condition]
            if answer.is_error and not (awaited and all(evaluate(condition, run.known) is True for condition in awaited)):
                return f"the call failed: {answer.structured_content or answer.content}"
            if not step.get("until") or evaluate(step["until"], run.known) is True:
                break
            await asyncio.sleep(PAUSE)
            if attempt == CALLS - 1:
                raise NotInTheTextError(f"{step['id']} waits for {step['until']}, which does not come.")
    for condition in step.get("expect", []):
        if evaluate(condition, run.known) is not True:
            return f"expected {condition}"
    if step.get("say"):
        run.said.append(filled(step["say"], run.known))
    return None


def evaluate(expression: str, known: Mapping[str, Any]) -> Any:
    try:
        return jmespath.search(expression, known)
    except JMESPathError as problem:
        raise NotInTheTextError(f"{expression} can't be evaluated: {problem}") from problem


def filled(value: Any, known: Mapping[str, Any]) -> Any:
    """The value with each `${…}` replaced; arguments that turn out null are left out."""
    if isinstance(value, Mapping):
        pairs = {key: filled(item, known) for key, item in value.items()}
        return {key: item for key, item in pairs.items() if item is not None}
    if isinstance(value, list):
        return [filled(item, known) for item in value]
    if not isinstance(value, str):
        return value
    whole = HOLE.fullmatch(value)
    if whole:
        return evaluate(whole.group(1), known)
    return HOLE.sub(lambda hole: shown(evaluate(hole.group(1), known)), value)


def shown(found: Any) -> str:
    if found is None:
        return "unknown"
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, list):
        return ", ".join(shown(item) for item in found) or "none"
    return str(found)
