"""The SDK's own client over both transports and in both eras of the protocol, through real uvicorn."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from accounts.models import ApiToken, User
from agentapi.registry import NAMES
from agentapi.tests.conftest import Web
from clusters.tests.rows import make_cluster

Agent = Callable[..., Any]
Make = Callable[..., tuple[ApiToken, str]]


def stdio(url: str, secret: str, *more: str) -> Any:
    """The program that a client would start."""
    environment = {
        "INSTANTSTART_TOKEN": secret,
        "INSTANTSTART_URL": url,
        "INSTANTSTART_SECRET_KEY": "of-no-use-here",
        "PATH": "/usr/bin:/bin",
    }
    return stdio_client(
        StdioServerParameters(command=sys.executable, args=["manage.py", "mcp", "--stdio", *more], env=environment, cwd=settings.BASE_DIR)
    )


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_of_2025_and_one_of_today_read_the_same_over_http(agent: Agent, operator: User, mode: str) -> None:
    await sync_to_async(make_cluster)("demo")
    begun = await sync_to_async(agent)(operator, mode=mode)
    async with begun as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == NAMES
        answer = await client.call_tool("cluster_get", {})
        assert answer.is_error is False
        assert (answer.structured_content["cluster"], answer.structured_content["cluster_taken"]) == ("demo", "the only one")
        assert answer.content[0].text.startswith("demo is ready, seen ")
        assert {str(found.uri) for found in (await client.list_resources()).resources} >= {"instantstart://rules", "instantstart://catalog"}
        rules = await client.read_resource("instantstart://rules")
        assert '"code":' in rules.contents[0].text
        assert (await client.list_prompts()).prompts is not None


async def test_the_same_over_standard_input_and_output(web: Web, operator: User, make_token: Make) -> None:
    await sync_to_async(make_cluster)("demo")
    _, secret = await sync_to_async(make_token)(operator, agent=True)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(stdio(web.url, secret, "--toolsets", "core", "--read-only")))
        listed = (await client.list_tools()).tools
        assert listed and all(tool.annotations.read_only_hint for tool in listed)
        answer = await client.call_tool("cluster_list", {})
        assert [row["name"] for row in answer.structured_content["items"]] == ["demo"]
        refused = await client.call_tool("cluster_prefer", {"cluster": "demo"})
        assert refused.structured_content["error"]["code"] == "read_only_token"


@pytest.mark.parametrize(
    ("agent_token", "url", "sentence"),
    [(False, None, "marked agent"), (True, "http://127.0.0.1:9", "did not answer"), (None, None, "The token is refused")],
)
async def test_over_standard_input_nothing_begins_that_can_not_work(
    web: Web, operator: User, make_token: Make, agent_token: bool | None, url: str | None, sentence: str
) -> None:
    import asyncio

    secret = "is_nobodys" if agent_token is None else (await sync_to_async(make_token)(operator, agent=agent_token))[1]
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "manage.py",
        "mcp",
        "--stdio",
        cwd=settings.BASE_DIR,
        env={"INSTANTSTART_TOKEN": secret, "INSTANTSTART_URL": url or web.url, "INSTANTSTART_SECRET_KEY": "of-no-use-here"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await program.communicate()
    assert (program.returncode, out) == (1, b"")
    assert sentence in err.decode()
