"""The scripted agent on the running product: its own token, over real HTTP, with the skill's text as the MCP server gives it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.agent.interpreter import NotInTheTextError, Run, StoppedError, Watch, follow, nobody
from tests.conftest import Running


@dataclass
class Agent:
    """answers: what the person says to each question, by its name. asked: the questions that came, in order."""

    url: str
    secret: str
    answers: Mapping[str, Any]
    asked: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def _client(self) -> Any:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.secret}"}, timeout=60) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http)) as client,
        ):
            yield client

    async def text(self, skill: str) -> str:
        async with self._client() as client:
            prompt = await client.get_prompt(skill)
            return str(prompt.messages[0].content.text)

    async def follow(self, skill: str, *, watch: Watch = nobody, run: Run | None = None) -> Run:
        """Fetches the skill and does what it says."""
        failure: Exception | None = None
        async with self._client() as client:
            prompt = await client.get_prompt(skill)
            try:
                return await follow(prompt.messages[0].content.text, client, self._ask, watch, run)
            except (StoppedError, NotInTheTextError) as problem:  # raised outside: the client's task group would wrap it
                failure = problem
        raise failure

    def _ask(self, name: str, question: str, default: Any) -> Any:
        self.asked.append(name)
        return self.answers.get(name, default)


Begin = Callable[..., Agent]


@pytest.fixture
def agent(running: Running) -> Begin:
    """agent(name, **answers): an agent with a token of its own, of the admin's."""

    def begin(name: str, **answers: Any) -> Agent:
        answer = running.api.call("POST", "/tokens/", {"name": name, "agent": True})
        assert answer.status == 201, answer.body
        return Agent(running.stack.url, answer.body["token"], answers)

    return begin


def in_time(awaited: Any, seconds: float = 90) -> Any:
    """The result of a coroutine, which a test may wait for so long."""
    return asyncio.run(asyncio.wait_for(awaited, seconds))
