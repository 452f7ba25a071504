"""WhiteNoise, also for asynchronous chains.

A middleware that is only synchronous makes Django hold a thread for the whole of every asynchronous view; ours wait up to 25 s.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Serves a static file, or passes the request on without a thread of its own."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        self._asynchronous = iscoroutinefunction(get_response)
        if self._asynchronous:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self._asynchronous:
            return self._answer_later(request)
        found = self._find(request)
        response: HttpResponseBase = self.get_response(request) if found is None else _whole(self.serve(found, request))
        return response

    def _find(self, request: HttpRequest) -> Any:
        return self.find_file(request.path_info) if self.autorefresh else self.files.get(request.path_info)

    async def _answer_later(self, request: HttpRequest) -> HttpResponseBase:
        found = self._find(request)
        response: HttpResponseBase
        if found is None:
            response = await self.get_response(request)
        else:
            response = await sync_to_async(_whole, thread_sensitive=False)(self.serve(found, request))
        return response


def _whole(streamed: Any) -> HttpResponse:
    """The same answer with its content read: Django warns of streaming a plain file to an asynchronous server. Our files are small."""
    content = b"".join(streamed.streaming_content)
    streamed.close()
    response = HttpResponse(content, status=streamed.status_code)
    del response["Content-Type"]
    for name, value in streamed.items():
        response[name] = value
    return response
