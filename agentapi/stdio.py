"""The same server over standard input and output, for clients that start a program; it calls an installation over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.server.stdio import stdio_server

from agentapi.caller import Caller
from agentapi.errors import Refused, ToolError
from agentapi.rest import Rest
from agentapi.server import build
from agentapi.toolsets import Choice


class NotServed(Exception):
    """Why it can't be begun; the message is for a person."""


async def serve(url: str, token: str, choice: Choice) -> None:
    """Answers until standard input ends. NotServed when the token or the installation is not one that works."""
    rest = Rest(url, token)
    try:
        await check(rest)

        def find(_context: Any) -> AbstractAsyncContextManager[Caller]:
            return _caller(rest, choice)

        server = build(find)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await rest.close()


async def check(rest: Rest) -> dict[str, Any]:
    """Who the token belongs to. NotServed unless it works and is marked agent."""
    try:
        me: dict[str, Any] = await rest.get("me/")
    except ToolError as error:
        raise NotServed(f"{error.sentence} {error.fix}") from error
    except Refused as refused:
        raise NotServed(
            f"The token is refused: {refused.problem.get('detail', refused.status)} Give another as INSTANTSTART_TOKEN."
        ) from None
    if not me.get("agent"):
        raise NotServed(
            "This takes only tokens that are marked agent. Make one on the page /account/tokens/, or with POST /api/v1/tokens/ "
            'and the body {"name": "my-agent", "agent": true}.'
        )
    return me


@asynccontextmanager
async def _caller(rest: Rest, choice: Choice) -> AsyncIterator[Caller]:
    """Asked anew for each call: rights and preferences may have changed. Who can't be asked is told by the tool itself."""
    try:
        me = await rest.get("me/")
    except (Refused, ToolError):
        me = {}
    yield Caller(rest, me, choice.narrowed(me))
