"""One tailer per web process: it reads each new event once and hands it to every viewer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

import structlog
from channels.db import database_sync_to_async
from django.db import DatabaseError

from operations.events import Tailer
from operations.models import StatusEvent

LOOK_EVERY = 0.25
"""Seconds between two looks at the table, while anybody watches."""
T = TypeVar("T")
Viewer = Callable[[list[StatusEvent]], None]

_log = structlog.get_logger(__name__)


class Hub:
    """The viewers of one event loop. Tails only while there are any."""

    def __init__(self) -> None:
        self._viewers: set[Viewer] = set()
        self._task: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()

    async def join(self, viewer: Viewer) -> None:
        """From now on the viewer gets every event; answers once the tail has its place, so that nothing falls in between."""
        self._viewers.add(viewer)
        if self._task is None or self._task.done():
            self._ready.clear()
            self._task = asyncio.create_task(self._tail(), name="status events")
        await self._ready.wait()

    def leave(self, viewer: Viewer) -> None:
        self._viewers.discard(viewer)
        if not self._viewers and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _tail(self) -> None:
        tailer: Tailer | None = None
        while True:
            try:
                if tailer is None:
                    tailer = await _in_thread(Tailer)
                    self._ready.set()
                rows = await _in_thread(tailer.read)
            except DatabaseError:
                # The database is away: viewers stay, and get what they missed once it is back.
                _log.warning("status_events_unreadable", exc_info=True)
                rows = []
                await asyncio.sleep(1.0)
            if rows:
                for viewer in list(self._viewers):
                    viewer(rows)
            await asyncio.sleep(LOOK_EVERY)


async def _in_thread(work: Callable[[], T]) -> T:
    """Run it with a database connection of a pool thread, not of the one thread that all other synchronous code shares."""
    result: T = await database_sync_to_async(work, thread_sensitive=False)()
    return result


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def current_hub() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]
