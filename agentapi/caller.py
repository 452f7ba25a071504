"""Who is on the other end of an MCP request, as the transport found out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from agentapi.rest import Rest
from agentapi.toolsets import Choice


@dataclass(frozen=True)
class Caller:
    """rest: the way in with the caller's token. me: what GET /me/ says. choice: which tools are shown."""

    rest: Rest
    me: Mapping[str, Any]
    choice: Choice


Finder = Callable[[Any], AbstractAsyncContextManager[Caller]]
"""Gives the caller of a request, from the SDK's context of it, for as long as the request is answered."""


@asynccontextmanager
async def at_hand(caller: Caller) -> AsyncIterator[Caller]:
    yield caller
