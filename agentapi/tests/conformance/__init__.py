"""MCP's own conformance suite, and the inspector, against /mcp and against a server of fixtures behind the same door."""
