"""The sets of tools that agents can be shown, for rooms that may not look behind the agents' door: it tells them at start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_known: dict[str, str] = {}


def tell(sets: Mapping[str, str]) -> None:
    """Makes sets known: their names, and what each is for."""
    _known.update(sets)


def known() -> Mapping[str, str]:
    return _known


def unknown(names: Iterable[str]) -> list[str]:
    """Those of the names that no set has."""
    return sorted(set(names) - set(_known))
