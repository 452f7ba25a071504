"""What containers wrote: one file for each run of a container, as a node keeps them, so that a restart of the sandbox loses nothing.

A line in the file is `<RFC 3339 time with nanoseconds> <text>`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

_MAX_BYTES = 10_000_000  # the kubelet's containerLogMaxSize; beyond it the older half goes


@dataclass(frozen=True)
class LogQuery:
    """The options of `kubectl logs`; None is "not given"."""

    follow: bool = False
    timestamps: bool = False
    tail: int | None = None  # lines
    since: float | None = None  # epoch seconds
    limit_bytes: int | None = None


class RunLog:
    """The output of one run of one container."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ended = False
        self._dropped = 0  # bytes that were cut off at the front
        self._changed = asyncio.Event()

    def lines(self) -> int:
        return self._path.read_bytes().count(b"\n") if self._path.exists() else 0

    def write(self, text: str, at: float | None = None) -> None:
        """Append text, which may have several lines; `at` in epoch seconds."""
        stamp = _stamp(time.time() if at is None else at)
        lines = "".join(f"{stamp} {line}\n" for line in text.splitlines() or [""])
        try:
            with self._path.open("a") as file:
                file.write(lines)
                size = file.tell()
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(lines)
            size = len(lines)
        if size > _MAX_BYTES:
            self._halve()
        self._notify()

    def end(self) -> None:
        """Nothing will follow."""
        self._ended = True
        self._notify()

    async def read(self, query: LogQuery) -> AsyncIterator[bytes]:
        """Chunks of whole lines; with `follow` until the run ends."""
        budget = _Budget(query.limit_bytes)
        offset = 0
        if self._path.exists():
            content = self._path.read_bytes()
            offset = self._dropped + len(content)
            chosen: Iterator[bytes] | deque[bytes] = _select(content.splitlines(keepends=True), query)
            if query.tail is not None:
                chosen = deque(chosen, maxlen=query.tail)
            chunk = budget.take(b"".join(_shown(line, query) for line in chosen))
            if chunk:
                yield chunk
        while query.follow and not budget.spent:
            changed = self._changed
            content = self._content_from(offset)
            if content:
                offset += len(content)
                chunk = budget.take(b"".join(_shown(line, query) for line in content.splitlines(keepends=True)))
                if chunk:
                    yield chunk
            elif self._ended:
                return
            else:
                await changed.wait()

    def _content_from(self, offset: int) -> bytes:
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, offset - self._dropped))
                return file.read()
        except FileNotFoundError:
            return b""

    def _halve(self) -> None:
        content = self._path.read_bytes()
        start = content.index(b"\n", len(content) // 2) + 1
        self._path.write_bytes(content[start:])
        self._dropped += start

    def _notify(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


class LogFolder:
    """The logs of a cluster's pods: `<pod uid>/<container>.<restart count>.log`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs: dict[tuple[str, str, int], RunLog] = {}

    def run(self, uid: str, container: str, restart: int) -> RunLog:
        key = (uid, container, restart)
        found = self._runs.get(key)
        if found is None:
            found = self._runs[key] = RunLog(self._folder / uid / f"{container}.{restart}.log")
            # like the kubelet: the run before is kept, older ones go
            if self._runs.pop((uid, container, restart - 2), None):
                (self._folder / uid / f"{container}.{restart - 2}.log").unlink(missing_ok=True)
        return found

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        for key in [key for key in self._runs if key[0] == uid]:
            self._runs.pop(key).end()
        if (self._folder / uid).exists():
            shutil.rmtree(self._folder / uid, ignore_errors=True)

    def clear(self) -> None:
        for log in self._runs.values():
            log.end()
        self._runs.clear()
        shutil.rmtree(self._folder, ignore_errors=True)


class _Budget:
    def __init__(self, limit: int | None) -> None:
        self._left = limit

    @property
    def spent(self) -> bool:
        return self._left is not None and self._left <= 0

    def take(self, chunk: bytes) -> bytes:
        if self._left is None:
            return chunk
        chunk = chunk[: self._left]
        self._left -= len(chunk)
        return chunk


def _select(lines: list[bytes], query: LogQuery) -> Iterator[bytes]:
    if query.since is None:
        return iter(lines)
    since = _stamp(query.since).encode()
    return (line for line in lines if line.split(b" ", 1)[0] >= since)


def _shown(line: bytes, query: LogQuery) -> bytes:
    return line if query.timestamps else line.split(b" ", 1)[1]


def _stamp(seconds: float) -> str:
    moment = dt.datetime.fromtimestamp(seconds, dt.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond:06d}000Z"
