"""A token bucket that all processes of this machine share: one for each account, region and service.

Workers, dispatcher and web server are processes of their own; a bucket in memory would multiply the rate by their number.
The level is kept in a 16-byte file under an advisory lock (about 20 µs a call).
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
import time
from collections.abc import Callable
from pathlib import Path

_LEVEL = struct.Struct("<dd")  # tokens, monotonic time of the last change

_ROUNDING = 1e-6
_SHORTEST_WAIT = 0.001
"""Sums of fractions never meet exactly: without these a caller could wait for nothing at all, over and over."""


class SharedBucket:
    """`rate` tokens a second, at most `burst` saved up.

    take() of a patient caller (an observer) waits until there is a token; an eager one (a person waits for the answer)
    borrows up to `debt` tokens ahead, which the patient pay for by waiting longer, and beyond that waits only a moment: AWS
    itself says when it is too much, and then the call is repeated by the standard rules.
    """

    LONGEST_EAGER_WAIT = 0.05

    def __init__(
        self,
        path: Path,
        rate: float,
        *,
        burst: float | None = None,
        debt: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.path = path
        self.rate = rate
        self.burst = burst if burst is not None else rate
        self.debt = debt if debt is not None else 5 * rate
        self._clock = clock
        self._sleep = sleep

    def take(self, *, eager: bool = False) -> float:
        """Takes one token and returns how long it waited for it, in seconds."""
        waited = 0.0
        while True:
            wait = self._try(floor=-self.debt if eager else 0.0)
            if wait <= 0:
                return waited
            if eager:
                self._sleep(min(wait, self.LONGEST_EAGER_WAIT))
                return min(wait, self.LONGEST_EAGER_WAIT)
            self._sleep(wait)
            waited += wait

    def _try(self, floor: float) -> float:
        """0 when a token was taken, else the seconds until one is there."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            now = self._clock()
            kept = os.pread(descriptor, _LEVEL.size, 0)
            level: float
            since: float
            level, since = _LEVEL.unpack(kept) if len(kept) == _LEVEL.size else (self.burst, now)
            if since > now:  # written before the machine was started anew
                level, since = self.burst, now
            level = min(self.burst, level + (now - since) * self.rate)
            if level - 1 < floor - _ROUNDING:
                return max(_SHORTEST_WAIT, (floor + 1 - level) / self.rate)
            os.pwrite(descriptor, _LEVEL.pack(level - 1, now), 0)
            return 0.0
        finally:
            os.close(descriptor)  # closing gives the lock back


def bucket_path(folder: Path, account: str, region: str, service: str) -> Path:
    """Where the bucket of that account, region and service is kept."""
    return folder / re.sub(r"[^A-Za-z0-9._-]", "_", f"{account}.{region}.{service}")
