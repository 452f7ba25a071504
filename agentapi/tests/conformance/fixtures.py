"""The tools, prompts and resources that the conformance suite asks a server to have. What they answer is the suite's own wording."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, mime_type: str, words: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(type="resource", resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=words))


ANSWERS: Mapping[str, list[Any]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [image()],
    "test_audio_content": [types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")],
    "test_embedded_resource": [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    "test_error_handling": [text("This tool intentionally returns an error for testing")],
    "json_schema_2020_12_tool": [text("Named.")],
}
STATIC = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=PNG),
}
PROMPTS: Mapping[str, list[str]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
}


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    schemas = {"json_schema_2020_12_tool": SCHEMA_2020}
    tools = [types.Tool(name=name, description=f"Fixture {name}.", input_schema=schemas.get(name, NOTHING)) for name in ANSWERS]
    return types.ListToolsResult(tools=tools)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name not in ANSWERS:
        raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name!r}.")
    return types.CallToolResult(content=ANSWERS[params.name], is_error=params.name == "test_error_handling")


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    found = [
        types.Resource(uri=uri, name=uri.removeprefix("test://"), description="A fixture.", mime_type=content.mime_type)
        for uri, content in STATIC.items()
    ]
    return types.ListResourcesResult(resources=found)


async def list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template", mime_type="application/json")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri in STATIC:
        return types.ReadResourceResult(contents=[STATIC[uri]])
    name = uri.removeprefix("test://template/").removesuffix("/data")
    body = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=body)])


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    found = [
        types.Prompt(
            name=name,
            description=f"Fixture {name}.",
            arguments=[types.PromptArgument(name=argument, description="A fixture.", required=True) for argument in arguments],
        )
        for name, arguments in PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=found)


async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    contents: Mapping[str, list[Any]] = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")],
        "test_prompt_with_embedded_resource": [
            embedded(given.get("resourceUri", "test://none"), "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [image(), text("Please analyze the image above.")],
    }
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content) for content in contents[params.name]])


async def complete(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))


def server() -> Server[Any]:
    """The fixtures' server, to be put behind the door of /mcp."""
    return Server(
        "fixtures",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
    )
