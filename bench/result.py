"""What a benchmark found: rows of what, goal, measured, met or missed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """goal: in words, "" for a number that only informs. met: None where there is no goal. numbers: what was measured, by name and unit."""

    what: str
    measured: str
    goal: str = ""
    met: bool | None = None
    numbers: dict[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        return "" if self.met is None else ("met" if self.met else "missed")

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": self.verdict}

    @classmethod
    def of(cls, said: dict[str, Any]) -> Row:
        return cls(**{name: said[name] for name in ("what", "measured", "goal", "met", "numbers")})


HEAD = ("what", "goal", "measured", "")


def table(rows: Iterable[Row]) -> str:
    """The rows as columns of text."""
    lines = [HEAD, *((row.what, row.goal, row.measured, row.verdict) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least `share` (0 to 1) of the values do not exceed; 0 for none."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1))]


Report = Callable[[Row], None]
