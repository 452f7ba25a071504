"""How much one token may ask of /mcp, in this process: calls a minute, and calls at a time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

KEPT = 10_000
"""Callers that are remembered; the one not seen for longest is forgotten first."""


@dataclass
class TooMany(Exception):
    """code and sentence of the limit that is met; seconds until it is worth trying again."""

    code: str
    sentence: str
    retry_after: int


@dataclass
class _Seen:
    allowance: float
    at: float
    running: int = 0


@dataclass
class Limits:
    """a_minute: calls that a caller may make a minute, at once too. at_once: calls of one caller, in_all: of all, being answered."""

    a_minute: int
    at_once: int
    in_all: int
    _callers: OrderedDict[str, _Seen] = field(default_factory=OrderedDict)
    _running: int = 0

    @contextmanager
    def held(self, caller: str) -> Iterator[None]:
        """Counts one call while it is answered. Raises TooMany."""
        now = time.monotonic()
        seen = self._callers.setdefault(caller, _Seen(float(self.a_minute), now))
        self._callers.move_to_end(caller)
        self._forget()
        seen.allowance = min(float(self.a_minute), seen.allowance + (now - seen.at) * self.a_minute / 60)
        seen.at = now
        if seen.allowance < 1:
            wait = max(1, round((1 - seen.allowance) * 60 / self.a_minute + 0.5))
            raise TooMany("rate_limited", f"A token may make {self.a_minute} calls a minute here.", wait)
        if seen.running >= self.at_once:
            raise TooMany("too_many_at_once", f"A token may have {self.at_once} calls answered at a time here.", 1)
        if self._running >= self.in_all:
            raise TooMany("busy", "Too many agents' calls are being answered at the moment.", 2)
        seen.allowance -= 1
        seen.running += 1
        self._running += 1
        try:
            yield
        finally:
            seen.running -= 1
            self._running -= 1

    def _forget(self) -> None:
        while len(self._callers) > KEPT:
            oldest, seen = next(iter(self._callers.items()))
            if seen.running:
                return
            del self._callers[oldest]
