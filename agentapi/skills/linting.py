"""Holds a skill against the snapshot of the tools: what an agent could not do as it is written, or would do blindly.

Every finding is a sentence that names the step. `lint` knows the tools only by what a client sees of them (agentapi/tools.json).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentapi.skills.expression import ExpressionError, expressions_in, roots
from agentapi.skills.skill import Skill, Step

INPUT = "input"
DRY_RUN = "dry_run"


@dataclass(frozen=True)
class KnownTool:
    """A tool as the snapshot has it. verifier: the tool that shows a change's outcome, "" for one that only reads."""

    name: str
    toolset: str
    read_only: bool
    arguments: frozenset[str]
    required: frozenset[str]
    verifier: str = ""


def known_tools(snapshot: list[dict[str, Any]]) -> dict[str, KnownTool]:
    """The tools of agentapi/tools.json, by name."""
    found = {}
    for entry in snapshot:
        schema = entry["inputSchema"]
        found[entry["name"]] = KnownTool(
            name=entry["name"],
            toolset=entry["toolset"],
            read_only=bool(entry["annotations"].get("readOnlyHint")),
            arguments=frozenset(schema.get("properties", {})),
            required=frozenset(schema.get("required", [])),
            verifier=(entry["verify"] or {}).get("tool", ""),
        )
    return found


def lint(skill: Skill, tools: Mapping[str, KnownTool]) -> list[str]:
    """What is wrong with the skill; nothing when it can be followed."""
    return [
        *_front(skill, tools),
        *_ids(skill),
        *(finding for step in skill.steps for finding in _step(step, tools)),
        *_references(skill),
        *_verified(skill, tools),
        *_ending(skill),
    ]


def _front(skill: Skill, tools: Mapping[str, KnownTool]) -> Iterator[str]:
    front = skill.front
    called = {step.call for step in skill.steps if step.call}
    for missing in sorted(called - set(front.tools)):
        yield f"The front matter's tools lack {missing}, which a step calls."
    for idle in sorted(set(front.tools) - called):
        yield f"The front matter's tools name {idle}, which no step calls."
    known = [tools[name] for name in sorted(called) if name in tools]
    toolsets = {tool.toolset for tool in known}
    if set(front.toolsets) != toolsets:
        yield f"The front matter's toolsets are {', '.join(sorted(front.toolsets))}; those of its tools are {', '.join(sorted(toolsets))}."
    writing = [tool.name for tool in known if not tool.read_only and not _only_planned(skill, tool.name)]
    if writing and not front.writes:
        yield f"The skill says that it writes nothing, but calls {', '.join(writing)}."
    if front.writes and not writing:
        yield "The skill says that it writes, but calls no tool that does."


def _only_planned(skill: Skill, tool: str) -> bool:
    return all(step.args.get(DRY_RUN) is True for step in skill.steps if step.call == tool)


def _ids(skill: Skill) -> Iterator[str]:
    seen = {INPUT}
    for step in skill.steps:
        if step.id in seen:
            yield f"Step {step.id}: the id is taken."
        seen.add(step.id)
    for step in skill.steps:
        if step.on_fail.go and step.on_fail.go not in seen:
            yield f"Step {step.id}: on_fail goes to {step.on_fail.go}, which is no step."


def _step(step: Step, tools: Mapping[str, KnownTool]) -> Iterator[str]:
    if not (step.call or step.ask or step.say):
        yield f"Step {step.id} does nothing: it neither calls, asks nor says."
    if not step.call:
        if step.args or step.until:
            yield f"Step {step.id} has arguments or a condition to wait for, but calls nothing."
        return
    tool = tools.get(step.call)
    if tool is None:
        yield f"Step {step.id} calls {step.call}; there is no such tool."
        return
    for unknown in sorted(set(step.args) - tool.arguments):
        yield f"Step {step.id} gives {step.call} an argument {unknown}, which it does not take."
    for missing in sorted(tool.required - set(step.args)):
        yield f"Step {step.id} calls {step.call} without {missing}, which it needs."
    if not step.on_fail.say and not step.on_fail.go:
        yield f"Step {step.id} calls {step.call} and does not say what to do when that fails."


@dataclass
class _Use:
    """Which ids an expression may use so far, and which have been used."""

    steps: set[str] = field(default_factory=set)
    inputs: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    used_inputs: set[str] = field(default_factory=set)


def _references(skill: Skill) -> Iterator[str]:
    use = _Use()
    for step in skill.steps:
        use.inputs |= {question.name for question in step.ask}
        before = [step.when, *expressions_in(step.args), *expressions_in([question.model_dump() for question in step.ask])]
        yield from _uses(step, before, use)
        use.steps.add(step.id)
        after = [step.until, *step.expect, *expressions_in([step.say, step.on_fail.say])]
        yield from _uses(step, after, use, own=step.id)
    for step in skill.steps:
        jumped_to = any(other.on_fail.go == step.id for other in skill.steps)
        if step.call and step.id not in use.used and not jumped_to:
            yield f"Step {step.id}: no other step uses what it finds, so nobody would miss it."
    for unused in sorted(use.inputs - use.used_inputs):
        yield f"The answer to {unused} is asked for, but not used."


def _uses(step: Step, expressions: list[str], use: _Use, own: str = "") -> Iterator[str]:
    for expression in filter(None, expressions):
        try:
            found = roots(expression)
        except ExpressionError as problem:
            yield f"Step {step.id}: {problem}."
            continue
        for root, part in sorted(found):
            if root == INPUT:
                if not (own and not step.call):  # a question that only its own step looks at decides nothing
                    use.used_inputs.add(part)
                if part not in use.inputs:
                    yield f"Step {step.id} uses {INPUT}.{part}, which no step before it asks for."
            elif root not in use.steps:
                yield f"Step {step.id} uses {root}, which is no step before it."
            elif root != own:
                use.used.add(root)


def _verified(skill: Skill, tools: Mapping[str, KnownTool]) -> Iterator[str]:
    for place, step in enumerate(skill.steps):
        tool = tools.get(step.call)
        if tool is None or tool.read_only or step.args.get(DRY_RUN) is True:
            continue
        after = {later.call for later in skill.steps[place + 1 :]}
        if tool.verifier and tool.verifier not in after:
            yield f"Step {step.id} calls {step.call}, but no later step calls {tool.verifier}, which shows its outcome."


def _ending(skill: Skill) -> Iterator[str]:
    if not skill.steps[-1].say:
        yield "The last step says nothing: the person would not learn how it ended."
