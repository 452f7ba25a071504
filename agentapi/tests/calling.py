"""Calls of tools in tests: in this process, through the server's own path of an answer, with REST behind it as it is in /mcp."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx2
from asgiref.sync import async_to_sync
from jsonschema import validate

from agentapi import registry, server
from agentapi.caller import Caller
from agentapi.rest import Rest
from agentapi.schema import output_schema
from agentapi.toolsets import Choice
from instantstart.handlers import HttpApplication

Tools = Callable[..., dict[str, Any]]
_django = HttpApplication()


async def _call(secret: str, name: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    rest = Rest("http://testserver", secret, httpx2.ASGITransport(_django))
    try:
        me = await rest.get("me/")
        tool = registry.BY_NAME[name]
        result = await server.answer(tool, arguments, Caller(rest, me, Choice().narrowed(me)), registry.NAMES)
    finally:
        await rest.close()
    validate(result.structured_content, output_schema(tool.Output))
    assert result.is_error is ("error" in result.structured_content)
    return result.structured_content, result.content[0].text


def call(secret: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The structured content, checked against the tool's schema."""
    data, _ = async_to_sync(_call)(secret, tool, arguments)
    return data


def told(secret: str, tool: str, /, **arguments: Any) -> tuple[dict[str, Any], str]:
    """Structured content and text."""
    return async_to_sync(_call)(secret, tool, arguments)
