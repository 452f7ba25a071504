"""How Django answers HTTP under ASGI: most calls in one go on one thread of a pool, those that wait on none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.db import close_old_connections, connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

WAITS = "wait"
"""Query parameter of calls that wait: see operations.api.wait."""

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[Any]]


class PooledHandler(ASGIHandler):
    """The whole chain of middlewares and the view on one thread of a pool, whose threads keep their database connections.

    Django's own handler makes a thread for each request, with a new connection, and goes there and back for each middleware that has only
    synchronous hooks; together that takes longer than a short view itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self._pool = ThreadPoolExecutor(settings.WEB_THREADS, thread_name_prefix="web")

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await sync_to_async(self._answer, thread_sensitive=False, executor=self._pool)(request)
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        # Django does this at the signals of a request's start and end, which are sent on another thread.
        close_old_connections()
        try:
            return self.get_response(request)
        finally:
            close_old_connections()


class WaitingHandler(ASGIHandler):
    """Django's own, for views that await: between two looks they hold no thread. Their thread's connections end with the call."""

    async def handle(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        try:
            await super().handle(scope, receive, send)
        finally:
            await sync_to_async(connections.close_all, thread_sensitive=True)()


class HttpApplication:
    """Django: calls with `?wait=` by the one, all others by the other. Make it after django.setup()."""

    def __init__(self) -> None:
        self._pooled = PooledHandler()
        self._waiting = WaitingHandler()

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        waits = WAITS in parse_qs(scope.get("query_string", b"").decode("latin-1"))
        await (self._waiting if waits else self._pooled)(scope, receive, send)
