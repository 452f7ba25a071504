"""How features hang together: who needs whom, and in which order several are changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusters.features import REGISTRY


def required_by(name: str) -> tuple[str, ...]:
    """Features that need this one."""
    return tuple(other for other, feature in REGISTRY.items() if name in feature.requires)


def related(names: Iterable[str]) -> frozenset[str]:
    """These, all that they need, all that need them, and all that they exclude: whose state a change of these rests on."""
    found: set[str] = set()
    to_come = list(names)
    while to_come:
        name = to_come.pop()
        if name in found:
            continue
        found.add(name)
        to_come += [*REGISTRY[name].requires, *required_by(name)]
    return frozenset(found | {other for name in found for other in rivals(name)})


def rivals(name: str) -> frozenset[str]:
    """Features that can't be on together with this one, whichever of the two says so."""
    mine = set(REGISTRY[name].conflicts)
    return frozenset(mine | {other for other, feature in REGISTRY.items() if name in feature.conflicts})


def requirements_first(names: Iterable[str]) -> list[str]:
    """In the order to turn them on; the other way round is the order to turn them off."""
    wanted, ordered = set(names), list[str]()

    def visit(name: str) -> Iterator[str]:
        for other in REGISTRY[name].requires:
            yield from visit(other)
        yield name

    for name in REGISTRY:
        if name in wanted:
            ordered += [one for one in visit(name) if one in wanted and one not in ordered]
    return ordered
