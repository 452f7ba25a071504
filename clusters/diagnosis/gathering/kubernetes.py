"""What Kubernetes says now: nodes and pods from the watch cache, warnings and deletions from the API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from clusters.diagnosis.evidence import Evidence, quoted
from clusters.diagnosis.gathering import deletions, nodes, pods, warnings
from clusters.diagnosis.gathering.part import Gathered, Part, PartState
from clusters.diagnosis.gathering.watching import PATIENCE, part, watch
from clusters.models import Cluster
from instantstart import kube
from instantstart.cloud.errors import CloudError
from instantstart.kube.client import Kube
from instantstart.kube.errors import KubeError


def gather(found: Gathered, row: Cluster, keys: Mapping[str, str], now: datetime) -> None:
    """Adds what nodes, pods, events and deletions tell. keys: Kubernetes' name of a node → its key here."""
    watched = watch(row, "kubernetes")
    if isinstance(watched, Part):
        found.add(watched)
        return
    machines, running = watched.nodes(PATIENCE), watched.pods(PATIENCE)
    found.add(part("kubernetes nodes", machines, now), nodes.evidence(machines.items, keys, now))
    found.add(part("kubernetes pods", running, now), pods.evidence(running.items, keys, now))
    api = kube.connect(watched.target)
    reads: dict[str, Callable[[], list[Evidence]]] = {
        "kubernetes events": lambda: warnings.evidence(_warnings(api), running.items, keys, now),
        "kubernetes deletions": lambda: deletions.evidence([*_going(api), *running.items], keys, now),
    }
    answers = machines.complete and not machines.error
    for name, read in reads.items():  # after one that got no answer the next would wait as long again
        if answers:
            answers = _read(found, name, now, read)
        else:
            found.add(Part(name, PartState.UNREADABLE, None, "It was not asked: Kubernetes did not answer before."))


def _warnings(api: Kube) -> list[dict[str, Any]]:
    return api.list("v1", "Event", fields="type=Warning")


def _going(api: Kube) -> list[dict[str, Any]]:
    return [*api.list("v1", "Namespace"), *api.list("v1", "PersistentVolumeClaim")]


def _read(found: Gathered, name: str, now: datetime, read: Callable[[], Iterable[Evidence]]) -> bool:
    """Whether it could be read."""
    try:
        rows = list(read())
    except (KubeError, CloudError) as error:
        found.add(Part(name, PartState.UNREADABLE, None, quoted(error.message)))
        return False
    found.add(Part(name, PartState.READ, now), rows)
    return True
