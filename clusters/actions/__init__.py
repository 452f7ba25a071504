"""The verbs of clusters. Importing this registers them."""

from clusters.actions import creation, deletion, phase, preference, protection

__all__ = ["creation", "deletion", "phase", "preference", "protection"]
