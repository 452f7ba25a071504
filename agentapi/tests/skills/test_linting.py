"""The linter finds what an agent could not do as it is written."""

from __future__ import annotations

import pytest

from agentapi.skills.linting import KnownTool, known_tools, lint
from agentapi.skills.skill import parse
from agentapi.tests.skills.examples import TEXT, TOOLS


def test_a_skill_that_can_be_followed_has_no_finding() -> None:
    assert lint(parse(TEXT), TOOLS) == []


LOOK = TEXT[TEXT.index("## 3.") : TEXT.index("## 4.")]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("call: thing_get", "call: thing_see", "Step look calls thing_see; there is no such tool."),
        ("tools: [thing_make, thing_get]", "tools: [thing_make]", "The front matter's tools lack thing_get, which a step calls."),
        ("tools: [thing_make,", "tools: [thing_list, thing_make,", "The front matter's tools name thing_list, which no step calls."),
        ("toolsets: [core]", "toolsets: [nodes]", "The front matter's toolsets are nodes; those of its tools are core."),
        ("writes: true", "writes: false", "The skill says that it writes nothing, but calls thing_make."),
        (
            'args: {name: "${make.name}"}',
            'args: {nam: "${make.name}"}',
            "Step look gives thing_get an argument nam, which it does not take.",
        ),
        ('args: {name: "${make.name}"}', 'args: {limit: "${make.name}"}', "Step look calls thing_get without name, which it needs."),
        ("${plan.fingerprint}", "${plans.fingerprint}", "Step make uses plans, which is no step before it."),
        ("${plan.fingerprint}", "${look.fingerprint}", "Step make uses look, which is no step before it."),
        ("${input.name} is", "${input.title} is", "Step tell uses input.title, which no step before it asks for."),
        ("${plan.fingerprint}", "123", "Step plan: no other step uses what it finds, so nobody would miss it."),
        ('on_fail: {say: "It was not made."}', "", "Step make calls thing_make and does not say what to do when that fails."),
        ('on_fail: {say: "It was not made."}', "on_fail: {go: back}", "Step make: on_fail goes to back, which is no step."),
        ("until: look.state == 'ready'", "until: look.state = 'ready'", "Step look: \"look.state = 'ready'\" can't be read"),
        (
            'id: tell\nsay: "${input.name} is ${look.state}."',
            'id: tell\nask: [{name: ok, question: "${look.state}"}]',
            "The last step says nothing",
        ),
        ("id: look", "id: plan", "Step plan: the id is taken."),
        (LOOK, "", "Step make calls thing_make, but no later step calls thing_get, which shows its outcome."),
    ],
)
def test_what_could_not_be_followed_is_found(old: str, new: str, said: str) -> None:
    text = TEXT.replace(old, new, 1)
    if old == LOOK:
        text = (
            text.replace("## 4.", "## 3.")
            .replace("${look.state}", "${make.state}")
            .replace("tools: [thing_make, thing_get]", "tools: [thing_make]")
        )
    findings = lint(parse(text), TOOLS)
    assert any(finding.startswith(said) for finding in findings), findings


def test_a_skill_that_only_plans_writes_nothing() -> None:
    text = TEXT.replace('plan_fingerprint: "${plan.fingerprint}"', "dry_run: true").replace("writes: true", "writes: false")
    assert "The skill says that it writes nothing, but calls thing_make." not in lint(parse(text), TOOLS)


def test_a_tool_is_known_by_what_a_client_sees_of_it() -> None:
    entry = {
        "name": "thing_make",
        "toolset": "core",
        "annotations": {"readOnlyHint": False},
        "inputSchema": {"properties": {"name": {}, "dry_run": {}}, "required": ["name"]},
        "verify": {"tool": "thing_get", "arguments": {}, "until": "state is ready"},
    }
    assert known_tools([entry]) == {
        "thing_make": KnownTool("thing_make", "core", False, frozenset({"name", "dry_run"}), frozenset({"name"}), "thing_get")
    }
