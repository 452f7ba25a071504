"""Every request has an id: in the answer's X-Request-ID, in problem details, in the audit trail and in each log line."""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADER = "X-Request-ID"
DOOR_HEADER = "X-InstantStart-Door"
_ACCEPTABLE = re.compile(r"[A-Za-z0-9._:-]{1,64}")

_DOORS = (("/api/", "api"), ("/admin/", "admin"))


@dataclass(frozen=True)
class RequestFacts:
    """The id, the caller's address (None when there is no request, or a socket without one), and the door: "api", "admin" or "web"."""

    id: str = ""
    address: str | None = None
    channel: str = ""
    by_tool: bool = False
    """Whether the call says that it comes from a tool of the MCP server."""

    def channel_of(self, agent: bool) -> str:
        """The door; an agent's call by a tool came through the MCP server's, whoever carried it to the API."""
        return "mcp" if agent and self.by_tool and self.channel == "api" else self.channel


_NONE = RequestFacts()
_facts: ContextVar[RequestFacts] = ContextVar("request_facts", default=_NONE)


def current() -> RequestFacts:
    """Facts of the request being answered in this context; empty outside of one."""
    return _facts.get()


def _facts_of(request: HttpRequest) -> RequestFacts:
    given = request.headers.get(HEADER, "")
    try:
        address = str(ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        address = None
    channel = next((door for prefix, door in _DOORS if request.path.startswith(prefix)), "web")
    return RequestFacts(
        id=given if _ACCEPTABLE.fullmatch(given) else uuid.uuid4().hex,
        address=address,
        channel=channel,
        by_tool=request.headers.get(DOOR_HEADER) == "mcp",
    )


class RequestIdMiddleware:
    """Takes the caller's id when it is well-formed, else makes one. Works in synchronous and asynchronous chains."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._asynchronous = iscoroutinefunction(get_response)
        if self._asynchronous:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self._asynchronous:
            return self._answer_later(request)
        facts = _facts_of(request)
        token = _facts.set(facts)
        try:
            with structlog.contextvars.bound_contextvars(request_id=facts.id):
                response: HttpResponseBase = self.get_response(request)
        finally:
            _facts.reset(token)
        response[HEADER] = facts.id
        return response

    async def _answer_later(self, request: HttpRequest) -> HttpResponseBase:
        facts = _facts_of(request)
        token = _facts.set(facts)
        try:
            with structlog.contextvars.bound_contextvars(request_id=facts.id):
                response: HttpResponseBase = await self.get_response(request)
        finally:
            _facts.reset(token)
        response[HEADER] = facts.id
        return response
