"""Template parameters: values given, defaults, and what restricts them."""

from __future__ import annotations

import re
from typing import Any

from sandbox.aws.cloudformation.template import Template, error

_LISTS = re.compile(r"CommaDelimitedList|List<.+>")
_TYPES = re.compile(r"String|Number|CommaDelimitedList|List<(Number|String|AWS::[A-Za-z0-9:]+)>|AWS::(EC2|S3|Route53|KMS)::[A-Za-z0-9:]+")


def resolve(template: Template, given: list[dict[str, Any]], before: dict[str, str] | None = None) -> dict[str, str]:
    """Text of every parameter by name. `before`: the stack's values, for UsePreviousValue. Errors: missing, unknown, not allowed."""
    declared = template.get("Parameters", {})
    values: dict[str, str] = {}
    unknown = [item["ParameterKey"] for item in given if item["ParameterKey"] not in declared]
    if unknown:
        raise error(f"Parameters: [{', '.join(unknown)}] do not exist in the template")
    for item in given:
        name = item["ParameterKey"]
        if item.get("UsePreviousValue"):
            if before is None or name not in before:
                raise error(
                    f"Invalid input for parameter key {name}. "
                    "Cannot specify usePreviousValue as true for a parameter key not in the previous template"
                )
            values[name] = before[name]
        elif item.get("ParameterValue") is not None:
            values[name] = str(item["ParameterValue"])
    missing = []
    for name, declaration in declared.items():
        kind = str(declaration["Type"])
        if not _TYPES.fullmatch(kind):
            raise error(f"Template format error: Unrecognized parameter type: {kind}; the sandbox does not simulate it")
        if name not in values:
            if "Default" not in declaration:
                missing.append(name)
                continue
            values[name] = _text(declaration["Default"])
        _check(name, declaration, values[name])
    if missing:
        raise error(f"Parameters: [{', '.join(missing)}] must have values")
    return values


def typed(template: Template, values: dict[str, str]) -> dict[str, Any]:
    """What Ref gives: a list for list types, else the text."""
    return {
        name: [part.strip() for part in value.split(",")] if _LISTS.fullmatch(str(template["Parameters"][name]["Type"])) else value
        for name, value in values.items()
        if name in template.get("Parameters", {})
    }


def shown(template: Template, values: dict[str, str]) -> list[dict[str, str]]:
    """As DescribeStacks shows them: NoEcho hidden."""
    declared = template.get("Parameters", {})
    return [
        {
            "ParameterKey": name,
            "ParameterValue": "****" if str(declared.get(name, {}).get("NoEcho", "false")).lower() == "true" else value,
        }
        for name, value in values.items()
    ]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(_text(item) for item in value)
    return str(value)


def _check(name: str, declaration: dict[str, Any], value: str) -> None:
    explained = declaration.get("ConstraintDescription")

    def refuse(reason: str) -> None:
        raise error(
            f"Parameter '{name}' {explained or reason}" if not explained else f"Parameter {name} failed to satisfy constraint: {explained}"
        )

    parts = value.split(",") if _LISTS.fullmatch(str(declaration["Type"])) else [value]
    if "AllowedValues" in declaration and not all(part.strip() in [_text(one) for one in declaration["AllowedValues"]] for part in parts):
        refuse("must be one of AllowedValues")
    if "AllowedPattern" in declaration and not all(re.fullmatch(declaration["AllowedPattern"], part.strip()) for part in parts):
        refuse(f"must match pattern {declaration['AllowedPattern']}")
    if "MinLength" in declaration and len(value) < int(declaration["MinLength"]):
        refuse(f"must contain at least {declaration['MinLength']} characters")
    if "MaxLength" in declaration and len(value) > int(declaration["MaxLength"]):
        refuse(f"must contain at most {declaration['MaxLength']} characters")
    if "Number" in str(declaration["Type"]):
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            raise error(f"Parameter '{name}' must be a number.") from None
        if "MinValue" in declaration and min(numbers) < float(declaration["MinValue"]):
            refuse(f"must be a number not less than {declaration['MinValue']}")
        if "MaxValue" in declaration and max(numbers) > float(declaration["MaxValue"]):
            refuse(f"must be a number not greater than {declaration['MaxValue']}")
