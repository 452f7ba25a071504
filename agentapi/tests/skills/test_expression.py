"""The little language of a skill's steps."""

from __future__ import annotations

from typing import Any

import pytest

from agentapi.skills.expression import ExpressionError, fill, holds, roots

KNOWN: dict[str, Any] = {
    "input": {"count": 2, "name": "demo"},
    "plan": {"checks": [{"code": "a"}, {"code": "b"}], "cost": None, "ok": True},
}


@pytest.mark.parametrize(
    ("value", "filled"),
    [
        ("${input.count}", 2),
        ("${input.name} has ${input.count}", "demo has 2"),
        ("costs ${plan.cost}, ok: ${plan.ok}", "costs unknown, ok: yes"),
        ("${plan.checks[].code} found", "a, b found"),
        ({"a": "${input.count}", "b": "${plan.cost}", "c": ["${input.name}"]}, {"a": 2, "c": ["demo"]}),
        (7, 7),
    ],
)
def test_what_was_found_is_filled_in_and_keeps_its_type_where_it_stands_alone(value: object, filled: object) -> None:
    assert fill(value, KNOWN) == filled


@pytest.mark.parametrize(
    ("expression", "true"),
    [
        ("plan.ok", True),
        ("plan.cost", False),
        ("plan.checks", False),
        ("length(plan.checks) == `2`", True),
        ("nothing.there == 'x'", False),
    ],
)
def test_a_condition_holds_only_when_it_is_exactly_true(expression: str, true: bool) -> None:
    assert holds(expression, KNOWN) is true


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("plan.fingerprint", {("plan", "fingerprint")}),
        ("length(plan.checks[?code == 'a'].fix) > `0` && input.name != 'x'", {("plan", "checks"), ("input", "name")}),
        ("plan.a.b.c", {("plan", "a")}),
        ("plan | keys(@)", {("plan", "")}),
        ("!look", {("look", "")}),
        ("plan.groups[0].name", {("plan", "groups")}),
    ],
)
def test_what_an_expression_starts_from_is_known(expression: str, found: set[tuple[str, str]]) -> None:
    assert roots(expression) == found


@pytest.mark.parametrize("expression", ["plan.", "a = b", "length(", "nope(plan)"])
def test_an_expression_that_cannot_be_read_is_named(expression: str) -> None:
    with pytest.raises(ExpressionError, match="can't be"):
        roots(expression)
        holds(expression, KNOWN)
