"""Claude Code: `.mcp.json`, permissions in `.claude/settings.json`, an agent and skills (https://code.claude.com/docs/en/mcp)."""

from __future__ import annotations

from agentapi.clients.document import AGENT, DESCRIPTION, SERVER, Document, Installation
from agentapi.clients.instructions import instructions


def documents(installation: Installation) -> list[Document]:
    allowed = [f"mcp__{SERVER}__{name}" for name in installation.read_only]
    head = f"---\nname: {AGENT}\ndescription: {DESCRIPTION}\n---\n\n"
    return [
        Document(".mcp.json", {"mcpServers": {SERVER: installation.server}}),
        Document(".claude/settings.json", {"permissions": {"allow": allowed}}),
        Document(f".claude/agents/{AGENT}.md", head + instructions(installation)),
        *(Document(f".claude/skills/{skill.name}/SKILL.md", skill.text) for skill in installation.skills),
    ]
