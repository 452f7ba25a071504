"""The verbs of clusters. Importing this registers them."""

from clusters.actions import (
    account,
    adoption,
    creation,
    deletion,
    drift,
    feature,
    group,
    importing,
    node,
    orphan,
    phase,
    preference,
    protection,
    quota,
    software,
    training_plan,
)

__all__ = [
    "account",
    "adoption",
    "creation",
    "deletion",
    "drift",
    "feature",
    "group",
    "importing",
    "node",
    "orphan",
    "phase",
    "preference",
    "protection",
    "quota",
    "software",
    "training_plan",
]
