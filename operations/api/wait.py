"""`?wait=`: answer when the operation has ended, or when the caller's patience has.

While it waits a call runs no code and holds no database connection: one task per process looks for all that wait.
"""

from __future__ import annotations

import asyncio
import functools
import uuid
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

import structlog
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db import DatabaseError, connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from instantstart.api.errors import problem_response
from instantstart.problem import FieldError, Problem
from operations.choices import DUE_STATES
from operations.models import Operation

LONGEST_WAIT = 25.0
"""Seconds; below the 30 s after which many proxies give up."""
LOOK_EVERY = 0.25

_log = structlog.get_logger(__name__)
View = Callable[..., HttpResponseBase]


def waiting(view: View) -> Callable[..., Awaitable[HttpResponseBase]]:
    """Wrap the detail view. It answers first, so that who may not see the operation does not wait for it either."""

    @functools.wraps(view)
    async def wait(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        answer_now = sync_to_async(view, thread_sensitive=True)
        try:
            seconds = _seconds(request.GET.get("wait", "0")) if request.method == "GET" else 0.0
        except Problem as problem:
            return problem_response(problem)
        response = await answer_now(request, *args, **kwargs)
        if not seconds or response.status_code not in (200, 304):
            return response
        await sync_to_async(_release_connection, thread_sensitive=True)()
        await _current_endings().wait_for(kwargs["pk"], seconds)
        return await answer_now(request, *args, **kwargs)

    # The resolver and the schema generator look for these on the view.
    for name in ("cls", "initkwargs", "actions", "csrf_exempt"):
        if hasattr(view, name):
            setattr(wait, name, getattr(view, name))
    return wait


def _seconds(asked: str) -> float:
    try:
        seconds = float(asked)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_WAIT:
        error = FieldError(
            "wait", "out_of_range", f"wait is 0 to {LONGEST_WAIT:.0f} seconds.", f"Send wait={LONGEST_WAIT:.0f} and ask again."
        )
        raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])
    return seconds


def _release_connection() -> None:
    """A waiting request must not keep one of the database's connections."""
    if not connection.in_atomic_block:
        connection.close()


def still_active(operations: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Those of the operations that go on by themselves: one that waits for a person is answered at once."""
    return set(Operation.objects.filter(pk__in=list(operations), state__in=DUE_STATES).values_list("pk", flat=True))


class Endings:
    """Looks, for all waiting calls of one event loop together, which operations have ended."""

    def __init__(self) -> None:
        self._waiting: dict[uuid.UUID, set[asyncio.Future[None]]] = {}
        self._task: asyncio.Task[None] | None = None

    async def wait_for(self, operation: uuid.UUID, seconds: float) -> None:
        """Returns when the operation does not go on by itself, or after that many seconds."""
        if not await database_sync_to_async(still_active, thread_sensitive=False)([operation]):
            return
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(operation, set()).add(ended)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look(), name="operations' endings")
        try:
            await asyncio.wait_for(ended, seconds)
        except TimeoutError:
            pass  # still going on, but further than the first answer said
        finally:
            self._leave(operation, ended)

    def _leave(self, operation: uuid.UUID, ended: asyncio.Future[None]) -> None:
        others = self._waiting.get(operation, set())
        others.discard(ended)
        if not others:
            self._waiting.pop(operation, None)
        if not self._waiting and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            asked = list(self._waiting)
            try:
                active = await database_sync_to_async(still_active, thread_sensitive=False)(asked)
            except DatabaseError:
                _log.warning("operations_unreadable", exc_info=True)
                continue  # those who wait go on waiting, at most for their time
            for operation in asked:
                if operation in active:
                    continue
                for ended in self._waiting.get(operation, ()):
                    if not ended.done():
                        ended.set_result(None)


_endings: WeakKeyDictionary[asyncio.AbstractEventLoop, Endings] = WeakKeyDictionary()


def _current_endings() -> Endings:
    loop = asyncio.get_running_loop()
    if loop not in _endings:
        _endings[loop] = Endings()
    return _endings[loop]
