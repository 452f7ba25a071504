"""Kubernetes' warnings (Events), and whether they still hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from clusters.diagnosis.evidence import Evidence, Level, Source, quoted
from clusters.diagnosis.gathering.objects import moment
from clusters.reading.kubernetes import condition
from clusters.reading.pods import pod_of

FRESH = timedelta(minutes=10)
"""Controllers repeat what still fails within that time."""
ROWS = 300


def evidence(
    events: Iterable[Mapping[str, Any]], pods: Iterable[Mapping[str, Any]], keys: Mapping[str, str], now: datetime
) -> list[Evidence]:
    """The newest warnings; those of pods once for each workload and text."""
    known = {(pod["metadata"].get("namespace", ""), pod["metadata"]["name"]): pod for pod in pods}
    found: dict[tuple[str, str, str], Evidence] = {}
    for event in sorted(events, key=lambda one: _at(one, now), reverse=True)[:ROWS]:
        pod = _pod(event, known)
        if pod is not None and condition(pod, "Ready"):
            continue  # it runs: what it met on the way is of no use to anybody
        row = _row(event, pod, keys, now)
        key = (row.subject, row.text, row.node)
        found[key] = replace(found[key], also=found[key].also + 1) if key in found else row
    return list(found.values())


def _at(event: Mapping[str, Any], now: datetime) -> datetime:
    series = event.get("series") or {}
    for text in (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime"), event.get("firstTimestamp")):
        if text:
            return moment(text, now)
    return moment((event.get("metadata") or {}).get("creationTimestamp"), now)


def _pod(event: Mapping[str, Any], known: Mapping[tuple[str, str], Mapping[str, Any]]) -> Mapping[str, Any] | None:
    about = event.get("involvedObject") or {}
    return known.get((about.get("namespace", ""), about.get("name", ""))) if about.get("kind") == "Pod" else None


def _row(event: Mapping[str, Any], pod: Mapping[str, Any] | None, keys: Mapping[str, str], now: datetime) -> Evidence:
    about = event.get("involvedObject") or {}
    kind, namespace, name = about.get("kind", ""), about.get("namespace", ""), about.get("name", "")
    at = _at(event, now)
    subject, node = f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}", ""
    if pod is not None:
        reading = pod_of(pod)
        subject, node = reading.title, reading.node
    elif kind == "Node":
        node = name
    standing = pod is not None or (kind != "Pod" and now - at < FRESH)
    text = quoted(f"{event.get('reason', '')}: {event.get('message', '')}")
    return Evidence(Source.KUBERNETES_EVENT, quoted(subject, 200), text, at, Level.WARNING, standing=standing, node=keys.get(node, node))
