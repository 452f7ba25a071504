"""One file of a client's configuration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentapi.skills.skill import Skill

AGENT = "hypd-inst-agent"
"""The agent's name in every client."""
SERVER = "instantstart"
"""The MCP server's name in every client."""
TOKEN_VARIABLE = "INSTANTSTART_TOKEN"  # noqa: S105 - the variable's name
TOKEN_REFERENCE = "${" + TOKEN_VARIABLE + "}"
DESCRIPTION = "Creates SageMaker HyperPod clusters on EKS, keeps them healthy, and asks before it changes anything."


@dataclass(frozen=True)
class Document:
    """path: relative to the folder that was asked for. content: a text, or what becomes a JSON document, which is merged key by key."""

    path: str
    content: str | dict[str, Any]

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else to_json(self.content)


@dataclass(frozen=True)
class Installation:
    """What the documents are made from. read_only: names of the tools that a client may call without asking."""

    url: str
    read_only: Sequence[str]
    skills: Sequence[Skill]
    token: str = TOKEN_REFERENCE

    @property
    def server(self) -> dict[str, Any]:
        """The MCP server, as all clients write it."""
        return {"type": "http", "url": f"{self.url}/mcp", "headers": {"Authorization": f"Bearer {self.token}"}}


def to_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
