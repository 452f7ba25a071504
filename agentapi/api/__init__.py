"""REST of the agent's door: the skills."""
