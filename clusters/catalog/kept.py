"""Short-lived memory of what AWS said, with its age: catalogue data changes by the week, people click by the second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_MOST = 512


@dataclass(frozen=True)
class Kept(Generic[T]):
    """A value and when it was read, in seconds since the epoch."""

    value: T
    read_at: float

    @property
    def age(self) -> float:
        """Seconds since it was read."""
        return max(0.0, time.time() - self.read_at)


_values: dict[tuple[str, ...], Kept[Any]] = {}
_locks: dict[tuple[str, ...], threading.Lock] = {}
_guard = threading.Lock()


def kept(key: tuple[str, ...], seconds: float, load: Callable[[], T]) -> Kept[T]:
    """The value of `key`, loaded anew when older than `seconds`. Threads that ask at once share one load; an error is not kept."""
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock:
        found = _values.get(key)
        if found is not None and found.age < seconds:
            return found
        fresh = Kept(load(), time.time())
        with _guard:
            while len(_values) >= _MOST:
                _values.pop(next(iter(_values)))
            _values[key] = fresh
        return fresh


def forget() -> None:
    """For tests, and after the credentials changed."""
    with _guard:
        _values.clear()
