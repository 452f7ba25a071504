"""The verbs of clusters. Importing this registers them."""

from clusters.actions import (
    creation,
    deletion,
    feature,
    group,
    importing,
    node,
    phase,
    preference,
    protection,
    quota,
    software,
    training_plan,
)

__all__ = [
    "creation",
    "deletion",
    "feature",
    "group",
    "importing",
    "node",
    "phase",
    "preference",
    "protection",
    "quota",
    "software",
    "training_plan",
]
