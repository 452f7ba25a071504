"""What pydantic finds wrong with an input, as our field errors: where, what, and the fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from instantstart.problem import FieldError

FIXES: dict[str, str] = {
    "missing": "Give this field.",
    "extra_forbidden": "Leave this field out: the action does not know it.",
    "string_pattern_mismatch": "Write it as the pattern says; the schema at /api/docs/ describes the field.",
    "string_type": "Give a text.",
    "string_too_short": "Make it {min_length} characters or more.",
    "string_too_long": "Make it {max_length} characters or fewer.",
    "int_type": "Give a whole number.",
    "int_parsing": "Give a whole number.",
    "int_from_float": "Give a whole number.",
    "int_parsing_size": "Give a smaller number.",
    "float_type": "Give a number.",
    "float_parsing": "Give a number.",
    "finite_number": "Give a number that is finite.",
    "greater_than": "Give more than {gt}.",
    "greater_than_equal": "Give {ge} or more.",
    "less_than": "Give less than {lt}.",
    "less_than_equal": "Give {le} or less.",
    "multiple_of": "Give a multiple of {multiple_of}.",
    "bool_type": "Give true or false.",
    "bool_parsing": "Give true or false.",
    "enum": "Choose one of these.",
    "literal_error": "Choose one of these.",
    "list_type": "Give a list: [ … ].",
    "too_short": "Give {min_length} or more.",
    "too_long": "Give {max_length} or fewer.",
    "dict_type": "Give an object: { … }.",
    "model_type": "Give an object: { … }.",
    "model_attributes_type": "Give an object: { … }.",
    "uuid_type": "Give a UUID.",
    "uuid_parsing": "Give a UUID.",
}
"""The fix by pydantic's type of error; {…} with a name is what its context tells."""

OWN_WORDS = ("value_error", "assertion_error")
"""Sentences of our own validators: they say the fix themselves."""
OTHERWISE = "The schema at /api/docs/ says what is expected."


def field_errors(error: ValidationError, model: type[BaseModel] | None = None, prefix: str = "") -> list[FieldError]:
    """Each error with its dotted path behind prefix. Values are not repeated: they may be secrets.

    model: where the fields' own descriptions are; one that has a description is told by it where a pattern does not fit.
    """
    return [
        FieldError(
            field=f"{prefix}{'.'.join(str(part) for part in item['loc'])}",
            code=item["type"],
            detail=item["msg"].removeprefix("Value error, "),
            hint=_fix(item["type"], item.get("ctx") or {}, _description(model, item["loc"])),
        )
        for item in error.errors(include_url=False, include_input=False)
    ]


def _fix(code: str, context: dict[str, Any], description: str) -> str:
    if code in OWN_WORDS:
        return ""
    known = FIXES.get(code)
    if known is None:
        return description or OTHERWISE
    if code == "string_pattern_mismatch" and description:
        return description
    for name, value in context.items():
        known = known.replace(f"{{{name}}}", str(value))
    return known


def _description(model: type[BaseModel] | None, path: Sequence[int | str]) -> str:
    """The description of the field at that path; "" where it has none."""
    found, models = "", [model] if model else []
    for part in path:
        fields = [one.model_fields[part] for one in models if isinstance(part, str) and part in one.model_fields]
        if fields:
            found = fields[0].description or ""
            models = [inner for field in fields for inner in _models_in(field.annotation)]
    return found


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
