"""The verbs of clusters. Importing this registers them."""

from clusters.actions import creation, deletion, feature, group, node, phase, preference, protection, software

__all__ = ["creation", "deletion", "feature", "group", "node", "phase", "preference", "protection", "software"]
