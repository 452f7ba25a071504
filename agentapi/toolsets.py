"""Which tools a caller sees: sets switched on by address, header or token, and only those that read where that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentapi.errors import ToolError
from agentapi.tool import TOOLSETS, Tool

HEADER = "x-instantstart-toolsets"
READ_ONLY_HEADER = "x-instantstart-read-only"


@dataclass(frozen=True)
class Choice:
    """toolsets: None for all of them. read_only: tools that write are hidden."""

    toolsets: frozenset[str] | None = None
    read_only: bool = False

    def narrowed(self, me: Mapping[str, Any]) -> Choice:
        """Cut down to the token's own: a token that may only read sees nothing that writes."""
        own = me.get("toolsets")
        toolsets = self.toolsets if own is None else frozenset(own) if self.toolsets is None else self.toolsets & frozenset(own)
        return Choice(toolsets, self.read_only or bool(me.get("read_only")))

    def shows(self, tool: Tool) -> bool:
        return (self.toolsets is None or tool.toolset in self.toolsets) and not (self.read_only and tool.writes)

    def refusal(self, tool: Tool) -> ToolError:
        """Why a tool that exists is not shown."""
        if self.toolsets is not None and tool.toolset not in self.toolsets:
            return ToolError(
                "tool_not_switched_on",
                f"{tool.name} belongs to the toolset {tool.toolset}, which is not switched on.",
                f"Connect to /mcp?toolsets={','.join(sorted({*self.toolsets, tool.toolset}))}, or leave toolsets out for all. "
                "Where the token itself names toolsets, use another token.",
            )
        return ToolError(
            "read_only_token",
            f"{tool.name} writes, and this connection or token may only read.",
            "Use a token that may write and connect without read_only. Stop, and tell the person you work for.",
        )


def choice_of(toolsets: Iterable[str], read_only: Iterable[str]) -> Choice:
    """From the values of the address or the headers. ToolError for a set that does not exist."""
    names = [name.strip() for value in toolsets for name in value.split(",") if name.strip()]
    unknown = sorted(set(names) - set(TOOLSETS) - {"all"})
    if unknown:
        raise ToolError("unknown_toolset", f"There is no toolset {', '.join(unknown)}.", f"There are: {', '.join(TOOLSETS)}, all.")
    chosen = None if not names or "all" in names else frozenset(names)
    return Choice(chosen, any(value.lower() in ("", "1", "true", "yes") for value in read_only))


def visible(tools: Sequence[Tool], choice: Choice) -> list[Tool]:
    return [tool for tool in tools if choice.shows(tool)]
