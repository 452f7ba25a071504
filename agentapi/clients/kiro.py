"""Kiro CLI: an agent in `.kiro/agents/`, skills in `.kiro/skills/` (https://kiro.dev/docs/cli/custom-agents/configuration-reference)."""

from __future__ import annotations

from agentapi.clients.document import AGENT, DESCRIPTION, SERVER, Document, Installation
from agentapi.clients.instructions import instructions


def documents(installation: Installation) -> list[Document]:
    agent = {
        "name": AGENT,
        "description": DESCRIPTION,
        "prompt": f"file://./{AGENT}.md",
        "mcpServers": {SERVER: installation.server},
        "tools": ["read", f"@{SERVER}"],
        "allowedTools": ["read", *(f"@{SERVER}/{name}" for name in installation.read_only)],
        "resources": ["skill://.kiro/skills/*/SKILL.md"],
        "includeMcpJson": False,
    }
    return [
        Document(f".kiro/agents/{AGENT}.json", agent),
        Document(f".kiro/agents/{AGENT}.md", instructions(installation)),
        *(Document(f".kiro/skills/{skill.name}/SKILL.md", skill.text) for skill in installation.skills),
    ]
