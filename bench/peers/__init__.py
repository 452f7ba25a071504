"""Three questions of an agent, asked of our MCP server and of others on one sandbox cluster: tokens, times, and the facts in them."""
