"""The tools, one noun a file. They call REST and nothing else; each file's TOOLS is named in agentapi/registry.py."""
