"""Virtual time: durations are divided by a speed or skipped, while every timestamp stays on the real clock.

Virtual seconds are a piecewise-linear function of the real clock, kept as its corner points `[wall, virtual]` and the slope after
the last one (the speed). A jump is two corners at the same real moment. It runs on while the sandbox is down.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.database import Database

_SETTING = "clock"
_MAX_CORNERS = 400  # beyond it older ones are thinned out: old moments are then mapped by interpolation


class Clock:
    def __init__(self, database: Database, speed: float = 1.0) -> None:
        self._database = database
        self._pinned: float | None = None
        self._latest = 0.0
        stored = database.setting(_SETTING)
        if stored is None:
            self._corners: list[list[float]] = [[time.time(), 0.0]]
            self._speed, self._paused = _checked_speed(speed), False
            self._save()
        else:
            self._corners, self._speed, self._paused = stored["corners"], stored["speed"], stored["paused"]

    @property
    def speed(self) -> float:
        """Virtual seconds a real second, as set; it is kept while the clock is paused."""
        return self._speed

    @property
    def paused(self) -> bool:
        return self._paused

    def now(self) -> float:
        """Virtual seconds since the sandbox was made; inside `pinned` the moment it was pinned to. Never goes back."""
        return self._flowing() if self._pinned is None else self._pinned

    def wall(self, virtual: float) -> float:
        """Epoch seconds of the real moment at which it was `virtual`; never in the future."""
        wall_now = time.time()
        if virtual >= self._flowing():
            return wall_now
        wall_at, virtual_at = self._corners[0]
        if virtual < virtual_at:
            return wall_at - (virtual_at - virtual)
        index = bisect_right(self._corners, virtual, key=lambda corner: corner[1])
        wall_at, virtual_at = self._corners[index - 1]
        if index == len(self._corners):
            return min(wall_now, wall_at + (virtual - virtual_at) / self._slope if self._slope else wall_at)
        wall_after, virtual_after = self._corners[index]
        return min(wall_now, wall_at + (wall_after - wall_at) * (virtual - virtual_at) / (virtual_after - virtual_at))

    def set_speed(self, speed: float) -> None:
        self._corner()
        self._speed = _checked_speed(speed)
        self._save()

    def pause(self) -> None:
        self._corner()
        self._paused = True
        self._save()

    def resume(self) -> None:
        self._corner()
        self._paused = False
        self._save()

    def fast_forward(self, seconds: float) -> None:
        """Jump ahead by virtual seconds."""
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"fast_forward must be 0 or more virtual seconds, not {seconds}: time does not go back.")
        wall, virtual = self._corner()
        self._corners.append([wall, virtual + seconds])
        self._save()

    @contextmanager
    def pinned(self, virtual: float) -> Iterator[None]:
        """Hold `now` at a moment: an event of the past runs at its own time, however late it is run."""
        before, self._pinned = self._pinned, virtual
        try:
            yield
        finally:
            self._pinned = before

    def restart(self, speed: float) -> None:
        """Back to virtual second 0, at a speed, running."""
        self._corners, self._latest = [[time.time(), 0.0]], 0.0
        self._speed, self._paused = _checked_speed(speed), False
        self._save()

    @property
    def _slope(self) -> float:
        return 0.0 if self._paused else self._speed

    def _flowing(self) -> float:
        wall, virtual = self._corners[-1]
        # max: a real clock that is set back must not take virtual time with it
        self._latest = max(self._latest, virtual + max(0.0, time.time() - wall) * self._slope)
        return self._latest

    def _corner(self) -> tuple[float, float]:
        wall, virtual = max(time.time(), self._corners[-1][0]), self._flowing()
        self._corners.append([wall, virtual])
        if len(self._corners) > _MAX_CORNERS:
            half = _MAX_CORNERS // 2
            self._corners[:half] = self._corners[:half:2]
        return wall, virtual

    def _save(self) -> None:
        self._database.set_setting(_SETTING, {"corners": self._corners, "speed": self._speed, "paused": self._paused})


def _checked_speed(speed: float) -> float:
    if not 0 < speed <= 100_000:
        raise ValueError(f"speed must be above 0 and at most 100000 virtual seconds a second, not {speed}; use pause to stop the clock.")
    return float(speed)
