"""What Kubernetes says now: nodes, pods and warnings from the watch cache, what does not go from the API."""

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

NOT_ASKED = "It was not asked: Kubernetes did not answer before."


def gather(found: Gathered, row: Cluster, keys: Mapping[str, str], now: datetime, *, only: str = "") -> None:
    """Adds what nodes, pods, events and deletions tell. keys: Kubernetes' name of a node → its key here.

    only: the Kubernetes name of the node that is asked about, "" for the whole cluster. What is in no node (namespaces and claims that
    do not go), which the API has to be asked for, is then left out.
    """
    watched = watch(row, "kubernetes")
    if isinstance(watched, Part):
        found.add(watched)
        return
    machines, running = watched.nodes(PATIENCE), watched.pods(PATIENCE)
    machines_read, running_read = machines.items, running.items
    if only:
        machines_read = tuple(one for one in machines_read if one["metadata"]["name"] == only)
        running_read = tuple(one for one in running_read if one["spec"].get("nodeName") == only)
    found.add(part("kubernetes nodes", machines, now), nodes.evidence(machines_read, keys, now))
    found.add(part("kubernetes pods", running, now), pods.evidence(running_read, keys, now))
    name, answers = "kubernetes events", machines.complete and not machines.error
    if answers:
        told = watched.warnings(PATIENCE)
        events = _about(told.items, only, running_read) if only else told.items
        found.add(part(name, told, now), warnings.evidence(events, running_read, keys, now))
        answers = told.complete and not told.error
    else:
        found.add(Part(name, PartState.UNREADABLE, None, NOT_ASKED))
    name = "kubernetes deletions"
    if not answers:  # after one that got no answer the next would wait as long again
        found.add(Part(name, PartState.UNREADABLE, None, NOT_ASKED))
    elif only:
        found.add(part(name, running, now), deletions.evidence(running_read, keys, now))
    else:
        api = kube.connect(watched.target)
        _read(found, name, now, lambda: deletions.evidence([*_going(api), *running_read], keys, now))


def _about(events: Iterable[Mapping[str, Any]], node: str, pods_on_it: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those of the node and of these pods."""
    wanted = {("Pod", pod["metadata"].get("namespace", ""), pod["metadata"]["name"]) for pod in pods_on_it}
    found = []
    for event in events:
        about = event.get("involvedObject") or {}
        kind, name = about.get("kind", ""), about.get("name", "")
        if (kind, name) == ("Node", node) or (kind, about.get("namespace", ""), name) in wanted:
            found.append(event)
    return found


def _going(api: Kube) -> list[dict[str, Any]]:
    return [*api.list("v1", "Namespace"), *api.list("v1", "PersistentVolumeClaim")]


def _read(found: Gathered, name: str, now: datetime, read: Callable[[], Iterable[Evidence]]) -> None:
    try:
        rows = list(read())
    except (KubeError, CloudError) as error:
        found.add(Part(name, PartState.UNREADABLE, None, quoted(error.message)))
        return
    found.add(Part(name, PartState.READ, now), rows)
