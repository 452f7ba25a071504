"""Any other MCP client: the `mcpServers` document that most of them read, the instructions, and the skills as plain files."""

from __future__ import annotations

from agentapi.clients.document import AGENT, SERVER, Document, Installation
from agentapi.clients.instructions import instructions


def documents(installation: Installation) -> list[Document]:
    return [
        Document("mcp.json", {"mcpServers": {SERVER: {**installation.server, "autoApprove": list(installation.read_only)}}}),
        Document(f"{AGENT}.md", instructions(installation)),
        *(Document(f"skills/{skill.name}/SKILL.md", skill.text) for skill in installation.skills),
    ]
