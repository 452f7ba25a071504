"""Kubernetes quantities as numbers, and lists of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_TEXT = re.compile(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([KMGTPE]i|[numkMGTPE]?)")
_UNITS = {"": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_UNITS |= {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60}
_BYTES = ("memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi")

Amounts = dict[str, float]


def number(quantity: Any) -> float:
    """ "100m" is 0.1, "1Gi" 1073741824. ValueError for what is no quantity."""
    found = _TEXT.fullmatch(str(quantity))
    if found is None:
        raise ValueError(f"{quantity!r} is no quantity")
    return float(found[1]) * _UNITS[found[2]]


def numbers(quantities: Mapping[str, Any] | None) -> Amounts:
    return {name: number(quantity) for name, quantity in (quantities or {}).items()}


def total(many: Iterable[Amounts]) -> Amounts:
    found: Amounts = {}
    for one in many:
        for name, amount in one.items():
            found[name] = found.get(name, 0.0) + amount
    return found


def less(one: Amounts, other: Amounts) -> Amounts:
    return {name: amount - other.get(name, 0.0) for name, amount in one.items()}


def wanting(wanted: Amounts, there: Amounts) -> list[str]:
    """Of what there is too little."""
    return [name for name, amount in wanted.items() if amount > max(0.0, there.get(name, 0.0)) + 1e-9]


def within(wanted: Amounts, there: Amounts) -> bool:
    return not wanting(wanted, there)


def shown(amounts: Amounts) -> dict[str, str]:
    """As quantities again."""
    return {name: _text(name, amount) for name, amount in sorted(amounts.items())}


def _text(name: str, amount: float) -> str:
    if name in _BYTES and amount and amount % 2**20 == 0:
        return f"{int(amount // 2**20)}Mi"
    return str(int(amount)) if amount == int(amount) else f"{round(amount * 1000)}m"
