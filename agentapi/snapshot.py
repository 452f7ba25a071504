"""What agents see of the tools, as it is committed: a change of it is a change of the interface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentapi.registry import TOOLS
from agentapi.tool import Tool

FILE = Path(__file__).with_name("tools.json")


def entry(tool: Tool) -> dict[str, Any]:
    """One tool: as it is listed, with its toolset and what verifies it."""
    shown = tool.listed().model_dump(mode="json", by_alias=True, exclude_none=True)
    verify = tool.verify
    told = None if verify is None else {"tool": verify.tool, "arguments": dict(verify.arguments), "until": verify.until}
    return {**shown, "toolset": tool.toolset, "verify": told}


def text() -> str:
    """One member of a tool a line, so that a difference shows what has changed."""
    shown = []
    for tool in TOOLS:
        members = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in entry(tool).items()]
        shown.append(" {\n" + ",\n".join(members) + "\n }")
    return "[\n" + ",\n".join(shown) + "\n]\n"


def write() -> None:
    FILE.write_text(text())
