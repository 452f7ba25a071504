"""Something that happens at a moment of an operation's life: before a call, after one, between two looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from operations import points


class Meanwhile:
    """Runs callbacks at the points of operations.points, each once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._callbacks: dict[str, list[Callable[[], Any]]] = {}
        monkeypatch.setattr(points, "reach", self._reach)

    def at(self, point: str, callback: Callable[[], Any]) -> None:
        assert point in points.POINTS
        self._callbacks.setdefault(point, []).append(callback)

    def _reach(self, point: str) -> None:
        for callback in self._callbacks.pop(point, []):
            callback()

    @property
    def waiting(self) -> list[str]:
        """The points that were not reached."""
        return sorted(self._callbacks)
