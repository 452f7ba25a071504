"""Skills as prompts and as resources of the MCP server, read through REST as everything else is."""

from __future__ import annotations

from collections.abc import Mapping

import mcp_types as types

import agentapi.prompts as prompts
import agentapi.resources as resources
from agentapi.rest import Rest

PREFIX = "skill://"
FILE = "SKILL.md"


async def _prompts(rest: Rest) -> list[types.Prompt]:
    found = await rest.get("skills/")
    return [types.Prompt(name=one["name"], title=one["name"], description=one["description"]) for one in found["results"]]


async def _prompt(rest: Rest, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult | None:
    if name not in {one["name"] for one in (await rest.get("skills/"))["results"]}:
        return None
    found = await rest.get(f"skills/{name}/")
    text = types.TextContent(type="text", text=found["text"])
    return types.GetPromptResult(description=found["description"], messages=[types.PromptMessage(role="user", content=text)])


async def _resources(rest: Rest) -> list[types.Resource]:
    found = await rest.get("skills/")
    return [
        types.Resource(
            uri=f"{PREFIX}{one['name']}/{FILE}",
            name=one["name"],
            title=one["name"],
            description=one["description"],
            mime_type="text/markdown",
        )
        for one in found["results"]
    ]


async def _resource(rest: Rest, asked: str) -> resources.Document | None:
    name, _, file = asked.removeprefix(PREFIX).partition("/")
    if file != FILE or name not in {one["name"] for one in (await rest.get("skills/"))["results"]}:
        return None
    return resources.Document((await rest.get(f"skills/{name}/"))["text"], "text/markdown")


PROMPTS = prompts.Source(_prompts, _prompt)
RESOURCES = resources.Source(PREFIX, _resources, _resource)
