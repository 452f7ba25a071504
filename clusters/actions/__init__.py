"""The verbs of clusters. Importing this registers them."""

from clusters.actions import (
    account,
    creation,
    deletion,
    drift,
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
    "account",
    "creation",
    "deletion",
    "drift",
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
