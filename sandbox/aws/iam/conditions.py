"""The condition operators of IAM policies.

Source: IAM User Guide, "IAM JSON policy elements: Condition operators": all keys of all operators must hold; any value of a key may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from typing import Any

Values = Mapping[str, list[str]]
"""Context keys in lower case, each with its value or values."""


def _like(pattern: str, value: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), value, re.DOTALL) is not None


def _number(value: str) -> float:
    return float(value)


def _moment(value: str) -> float:
    if value.replace(".", "", 1).isdigit():
        return float(value)
    moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _in_network(block: str, value: str) -> bool:
    return ip_address(value) in ip_network(block, strict=False)


def _arn_like(pattern: str, value: str) -> bool:
    wanted, given = pattern.split(":", 5), value.split(":", 5)
    return len(wanted) == len(given) == 6 and all(_like(*pair) for pair in zip(wanted, given, strict=True))


_POSITIVE: dict[str, Callable[[str, str], bool]] = {
    "stringequals": lambda wanted, value: wanted == value,
    "stringequalsignorecase": lambda wanted, value: wanted.lower() == value.lower(),
    "stringlike": _like,
    "numericequals": lambda wanted, value: _number(value) == _number(wanted),
    "numericlessthan": lambda wanted, value: _number(value) < _number(wanted),
    "numericlessthanequals": lambda wanted, value: _number(value) <= _number(wanted),
    "numericgreaterthan": lambda wanted, value: _number(value) > _number(wanted),
    "numericgreaterthanequals": lambda wanted, value: _number(value) >= _number(wanted),
    "dateequals": lambda wanted, value: _moment(value) == _moment(wanted),
    "datelessthan": lambda wanted, value: _moment(value) < _moment(wanted),
    "datelessthanequals": lambda wanted, value: _moment(value) <= _moment(wanted),
    "dategreaterthan": lambda wanted, value: _moment(value) > _moment(wanted),
    "dategreaterthanequals": lambda wanted, value: _moment(value) >= _moment(wanted),
    "bool": lambda wanted, value: wanted.lower() == value.lower(),
    "binaryequals": lambda wanted, value: wanted == value,
    "ipaddress": _in_network,
    "arnequals": _arn_like,
    "arnlike": _arn_like,
}
_NEGATIVE = {
    "stringnotequals": "stringequals",
    "stringnotequalsignorecase": "stringequalsignorecase",
    "stringnotlike": "stringlike",
    "numericnotequals": "numericequals",
    "datenotequals": "dateequals",
    "notipaddress": "ipaddress",
    "arnnotequals": "arnequals",
    "arnnotlike": "arnlike",
}
OPERATORS = frozenset({*_POSITIVE, *_NEGATIVE, "null"})


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return ["true" if item is True else "false" if item is False else str(item) for item in items]


def _holds(operator: str, wanted: list[str], value: str) -> bool:
    """Whether one value passes one operator; a value that is not of the operator's type does not."""
    negated = operator in _NEGATIVE
    compare = _POSITIVE[_NEGATIVE.get(operator, operator)]
    try:
        found = any(compare(item, value) for item in wanted)
    except ValueError:
        return negated
    return found != negated


def keys(conditions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Every context key that the conditions ask for, as written."""
    return [key for block in conditions.values() for key in block]


def satisfied(conditions: Mapping[str, Mapping[str, Any]], values: Values, *, missing_holds: bool = False) -> bool:
    """Whether all conditions hold. `missing_holds`: what to say where a key has no value and the operator does not decide it."""
    for written, block in conditions.items():
        quantifier, _, rest = written.lower().rpartition(":")
        if_exists = rest.endswith("ifexists")
        operator = rest.removesuffix("ifexists")
        if operator not in OPERATORS:
            return False
        for key, wanted_value in block.items():
            wanted = _texts(wanted_value)
            found = values.get(key.lower())
            if operator == "null":
                if (wanted[0].lower() == "true") != (found is None):
                    return False
                continue
            if found is None:
                # For the negated operators a missing key is a match; ForAllValues holds for no values at all.
                if if_exists or operator in _NEGATIVE or quantifier == "forallvalues" or missing_holds:
                    continue
                return False
            passing = [_holds(operator, wanted, value) for value in found]
            if not (all(passing) if quantifier == "forallvalues" or (operator in _NEGATIVE and not quantifier) else any(passing)):
                return False
    return True


def variables(text: str, values: Values) -> str | None:
    """`${aws:username}` filled in; None when a variable has no value (the statement then matches nothing)."""
    missing = False

    def fill(match: re.Match[str]) -> str:
        nonlocal missing
        if match[1] in "*?$":
            return match[1]
        found = values.get(match[1].partition(",")[0].strip().lower())
        if found is None:
            missing = True
            return ""
        return found[0]

    filled = re.sub(r"\$\{([^}]+)\}", fill, text)
    return None if missing else filled


def like(pattern: str, value: str) -> bool:
    """Wildcard comparison of actions and resources: `*` and `?`."""
    return _like(pattern, value)
