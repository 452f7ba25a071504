"""A real web server in this process, and the SDK's own client on its /mcp."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from accounts.models import ApiToken, User

pytest_plugins: list[str] = []
from clusters.tests.conftest import pointed, sandbox, sandbox_process  # noqa: E402, F401  (fixtures)


class Web:
    """uvicorn on a thread, with the whole application; the database is the test's own."""

    def __init__(self) -> None:
        from instantstart.asgi import Application

        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(Application(), log_level="warning", lifespan="on", timeout_graceful_shutdown=2))
        self._begun = threading.Event()
        startup = self._server.startup

        async def begin(sockets: Any = None) -> None:
            await startup(sockets)
            self._begun.set()

        self._server.startup = begin  # type: ignore[method-assign]
        self._thread = threading.Thread(target=lambda: asyncio.run(self._server.serve([self._socket])), daemon=True)
        self._thread.start()
        assert self._begun.wait(30), "the web server did not start"

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)


@pytest.fixture
def web(transactional_db: None) -> Iterator[Web]:
    running = Web()
    yield running
    running.stop()


@asynccontextmanager
async def connected(url: str, secret: str, mode: str = "auto") -> AsyncIterator[Client]:
    """The SDK's client with this token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.fixture
def agent(web: Web, make_token: Callable[..., tuple[ApiToken, str]]) -> Callable[..., Any]:
    """agent(user, toolsets="core", **limits): the SDK's client with a new token of the user's, marked agent."""

    def begin(user: User, *, query: str = "", mode: str = "auto", **limits: Any) -> Any:
        _, secret = make_token(user, agent=True, **limits)
        return connected(f"{web.url}/mcp{query}", secret, mode)

    return begin
