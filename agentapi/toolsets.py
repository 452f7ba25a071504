"""Which tools a caller sees: sets switched on by address, header or token, and only those that read where that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentapi.errors import ToolError
from agentapi.sets import TOOLSETS
from agentapi.tool import Tool

HEADER = "x-instantstart-toolsets"
READ_ONLY_HEADER = "x-instantstart-read-only"
IN_ADDRESS, IN_HEADER, IN_COMMAND = "toolsets of the address", "The header X-InstantStart-Toolsets", "--toolsets"
"""Where sets are named, as it is said to people."""
LONGEST = 200
"""Characters that are repeated of names that no set has."""


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


def choice_of(toolsets: Iterable[tuple[str, str]], read_only: Iterable[str]) -> Choice:
    """toolsets: where each value stands, and the value: names, by commas. ToolError for a set that does not exist, which says where."""
    names: list[str] = []
    for where, value in toolsets:
        named = [name.strip() for name in value.split(",") if name.strip()]
        unknown = sorted(set(named) - set(TOOLSETS) - {"all"})
        if unknown:
            sentence = f"{where}: there is no toolset {', '.join(unknown)[:LONGEST]}."
            raise ToolError("unknown_toolset", sentence, f"There are: {', '.join(TOOLSETS)}, all.")
        names += named
    chosen = None if not names or "all" in names else frozenset(names)
    return Choice(chosen, any(value.lower() in ("", "1", "true", "yes") for value in read_only))


def visible(tools: Sequence[Tool], choice: Choice) -> list[Tool]:
    return [tool for tool in tools if choice.shows(tool)]
