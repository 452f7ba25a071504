"""The contract of a tool: what agents see of it, and the coroutine that answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mcp_types as types
from pydantic import BaseModel

from agentapi.outputs import Change
from agentapi.schema import input_schema, output_schema
from agentapi.sets import TOOLSETS

if TYPE_CHECKING:
    from agentapi.call import Call

__all__ = ["TOOLSETS", "Answer", "Tool", "Verify"]


@dataclass(frozen=True)
class Answer:
    """headline: one short sentence, first thing of the text. data: the structured content; the text shows it too."""

    headline: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Verify:
    """Which tool shows the outcome, with which arguments ("{cluster}" is filled in), and the condition to wait for (see until.py)."""

    tool: str
    arguments: Mapping[str, str]
    until: str

    def of(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """With the values of one call; arguments that it has no value for are left out."""
        filled = {name: _fill(text, values) for name, text in self.arguments.items()}
        return {
            "tool": self.tool,
            "arguments": {name: value for name, value in filled.items() if value is not None},
            "until": _fill(self.until, values) or self.until,
        }


def _fill(text: str, values: Mapping[str, Any]) -> str | None:
    try:
        return text.format_map({name: value for name, value in values.items() if value is not None})
    except KeyError:
        return None


@dataclass(frozen=True)
class Tool:
    """One tool. name: noun_verb. toolset: one of TOOLSETS. Input: pydantic, extra forbidden. Output: the members of a good answer.

    verify is set exactly where the tool writes. destructive: it can take away what is there. idempotent: the same call again changes
    nothing more. open_world: it reaches beyond this installation at the moment of the call (AWS is asked).
    """

    name: str
    title: str
    description: str
    toolset: str
    Input: type[BaseModel]
    Output: type[BaseModel]
    run: Callable[[Call, Any], Awaitable[Answer]]
    verify: Verify | None = None
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False

    @property
    def writes(self) -> bool:
        return self.verify is not None

    @property
    def takes_plan(self) -> bool:
        """Whether it can be asked for its plan first."""
        return issubclass(self.Output, Change)

    def listed(self) -> types.Tool:
        """As `tools/list` shows it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=input_schema(self.Input),
            output_schema=output_schema(self.Output),
            annotations=types.ToolAnnotations(
                read_only_hint=not self.writes,
                destructive_hint=self.destructive,
                idempotent_hint=self.idempotent or not self.writes,
                open_world_hint=self.open_world,
            ),
        )
