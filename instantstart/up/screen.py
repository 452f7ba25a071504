"""What `up` shows: phases that advance in place on a terminal, one line a change elsewhere."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TextIO

from instantstart.up.demo import seconds_of

MARKS = {"ready": "✓", "running": "▸", "failed": "✗", "degraded": "!", "unknown": "?", "cancelled": "✗", "pending": "·"}

STEP_WIDTH = 90


def shortened(text: str, width: int) -> str:
    """At most that many characters; what is longer ends with … behind a whole word."""
    words = " ".join(text.split())
    return words if len(words) <= width else f"{words[: width - 1].rpartition(' ')[0] or words[: width - 2]} …"


def clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@dataclass
class Screen:
    """`stream` is standard error when standard output is kept for JSON."""

    stream: TextIO = field(default_factory=lambda: sys.stdout)
    drawn: int = 0
    said: dict[str, str] = field(default_factory=dict)

    @property
    def live(self) -> bool:
        return self.stream.isatty()

    def say(self, text: str) -> None:
        """A line that stays."""
        self._clear()
        print(text, file=self.stream, flush=True)

    def phases(self, rows: list[dict[str, Any]], speed: float, extra: str = "") -> None:
        """The phases with the step at work, elapsed and typical time (AWS's, and what is left of it at this speed)."""
        lines = [self._line(row, speed) for row in rows]
        if extra:
            lines.append(f"  {extra}")
        if self.live:
            self._clear()
            print("\n".join(lines), file=self.stream, flush=True)
            self.drawn = len(lines)
            return
        for row, line in zip(rows, lines, strict=False):
            key = f"{row['state']} {row.get('step_title', '')}"
            if self.said.get(row["name"]) != key and row["state"] != "pending":
                print(line, file=self.stream, flush=True)
            self.said[row["name"]] = key
        if extra and self.said.get("extra") != extra:
            print(f"  {extra}", file=self.stream, flush=True)
            self.said["extra"] = extra

    def _line(self, row: dict[str, Any], speed: float) -> str:
        elapsed, typical = clock(seconds_of(row)), row.get("typical_seconds")
        usual = f" (typical on AWS {clock(typical)}, here {clock(typical / speed)})" if typical and row["state"] == "running" else ""
        step = row.get("step_title") or row.get("message") or ""
        told = shortened(step, STEP_WIDTH) if row["state"] != "ready" else ""
        return f"  {MARKS.get(row['state'], '·')} {row['name']:<14} {row['state']:<9} {elapsed:>6}{usual}  {told}".rstrip()

    def _clear(self) -> None:
        if self.drawn and self.live:
            print(f"\x1b[{self.drawn}A\x1b[J", end="", file=self.stream)
        self.drawn = 0

    def made(self, types: list[str]) -> None:
        """How much was made of what, in a few lines; each by its name is on the cluster's page and in `--json`."""
        counts = Counter(kind.rpartition("::")[2] for kind in types)
        listed = ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in counts.items())
        self.say(textwrap.fill(f"{len(types)} resources: {listed}", 110, initial_indent="  ", subsequent_indent="    "))
