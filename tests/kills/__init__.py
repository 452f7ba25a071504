"""Real SIGKILLs of the real processes, while a cluster is created and deleted."""
