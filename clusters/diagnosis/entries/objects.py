"""Deletions and drains that do not end."""

from __future__ import annotations

from clusters.diagnosis.entry import Clue, KnownError, Noun
from clusters.diagnosis.evidence import Level, Source

_DELETION = frozenset({Source.DELETION})

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "budget_blocks_drain",
        Noun.OBJECT,
        "A disruption budget holds a drain",
        "The PodDisruptionBudget allows none of its pods to go now: too few are healthy, or it never allows any.",
        "Bring the workload's other pods up or add replicas; or lower the budget (minAvailable, maxUnavailable) for the drain.",
        (Clue(r"which allows no disruption now|violate the pod's disruption budget|disruption budget \S+ needs", least=Level.INFO),),
        "Kubernetes documentation, disruptions: eviction refused by a PodDisruptionBudget",
    ),
    KnownError(
        "namespace_stuck",
        Noun.OBJECT,
        "A namespace does not go",
        "The namespace is being deleted and still holds objects, or an API service that can't be asked what is left.",
        "Delete what the message names; for objects with finalizers, bring back the controller that removes them.",
        (
            Clue(
                r"Namespace(Deletion)?(ContentRemaining|FinalizersRemaining|DiscoveryFailure|ContentFailure)|SomeFinalizersRemain",
                _DELETION,
            ),
        ),
        "Kubernetes documentation, namespaces: conditions of a terminating namespace",
    ),
    KnownError(
        "finalizer_stuck",
        Noun.OBJECT,
        "A finalizer holds an object that is being deleted",
        "The controller that should clean up and take its finalizer off does not: it is gone, or fails.",
        "Bring that controller back. Only if it is gone for good: take the finalizer off by hand, after cleaning up what it guards.",
        (Clue(r"held by finalizers?", _DELETION),),
        "Kubernetes documentation, finalizers",
        after=("namespace_stuck",),
    ),
)
