"""Each thing that pydantic finds wrong has a fix beside it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator
from pydantic_core import core_schema

from clusters.groups.spec import NewGroup
from clusters.spec import ClusterInput
from instantstart.input_errors import FIXES, OTHERWISE, field_errors

Code = Annotated[str, StringConstraints(pattern="^[a-z]+$"), Field(description="Lower-case letters.")]


class Part(BaseModel):
    code: Code = "a"
    plain: Annotated[str, StringConstraints(pattern="^[a-z]+$", max_length=3)] = "a"


class Sample(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: Annotated[int, Field(ge=1, le=9)] = 1
    kind: Literal["spot", "plan"] = "spot"
    parts: list[Part] = []
    one: Part | None = None
    named: dict[str, Part] = {}
    own: str = ""
    when: Annotated[complex, Field(description="A complex number.")] = 1j
    raw: complex = 1j

    @field_validator("own")
    @classmethod
    def _never(cls, value: str) -> str:
        raise ValueError("never that; leave it out")


@pytest.mark.parametrize(
    ("given", "field", "hint"),
    [
        ({"count": 10}, "count", "Give 9 or less."),
        ({"count": 0}, "count", "Give 1 or more."),
        ({"count": "two"}, "count", "Give a whole number."),
        ({"kind": "free"}, "kind", "Choose one of these."),
        ({"more": 1}, "more", "Leave this field out: the action does not know it."),
        ({"parts": {}}, "parts", "Give a list: [ … ]."),
        ({"parts": [{}, {"code": "A"}]}, "parts.1.code", "Lower-case letters."),
        ({"one": {"code": "A"}}, "one.code", "Lower-case letters."),
        ({"named": {"x": {"code": "A"}}}, "named.x.code", "Lower-case letters."),
        ({"one": {"plain": "A"}}, "one.plain", FIXES["string_pattern_mismatch"]),
        ({"one": {"plain": "abcd"}}, "one.plain", "Make it 3 characters or fewer."),
        ({"own": "x"}, "own", ""),
        ({"when": []}, "when", "A complex number."),
        ({"raw": []}, "raw", OTHERWISE),
    ],
)
def test_an_error_says_the_fix(given: dict[str, Any], field: str, hint: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Sample.model_validate(given)
    assert [(error.field, error.hint) for error in field_errors(caught.value, Sample)] == [(field, hint)]


def test_the_rule_of_our_own_sentences_is_said_without_pydantic_s_words() -> None:
    with pytest.raises(ValidationError) as caught:
        Sample.model_validate({"own": "x"})
    assert field_errors(caught.value, Sample, "settings.")[0].detail == "never that; leave it out"
    assert field_errors(caught.value, None, "settings.")[0].field == "settings.own"


@pytest.mark.parametrize(
    ("model", "given", "rule"),
    [
        (ClusterInput, {"name": "Demo"}, "3 to 40 lower-case letters, digits and single hyphens, a letter first."),
        (ClusterInput, {"name": "demo", "group": {"name": "-a"}}, "1 to 63 letters, digits and hyphens, no hyphen first or last."),
        (NewGroup, {"name": "a-"}, "1 to 63 letters, digits and hyphens, no hyphen first or last."),
    ],
)
def test_a_name_that_does_not_fit_is_told_the_rule_in_words(model: type[BaseModel], given: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(given)
    assert [error.hint for error in field_errors(caught.value, model)] == [rule]


def test_the_table_has_only_codes_that_pydantic_knows() -> None:
    assert set(FIXES) <= set(core_schema.ErrorType.__args__)
