"""The agent's door: an MCP server whose tools call our own REST API with the caller's own token. It adds a way in, no rights."""
