"""Pods that do not run, once for each workload and reason: a thousand pods of one job are one row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from clusters.diagnosis.evidence import Evidence, Level, Source, quoted
from clusters.diagnosis.gathering.objects import moment
from clusters.reading.pods import pod_of

Said = tuple[str, Level, Any]
"""Text, level, and the time as Kubernetes wrote it."""
STARTING = frozenset({"ContainerCreating", "PodInitializing", ""})


def evidence(items: Iterable[Mapping[str, Any]], keys: Mapping[str, str], now: datetime) -> list[Evidence]:
    """Of all pods."""
    found: dict[tuple[str, str, str], Evidence] = {}
    for item in items:
        if item["metadata"].get("deletionTimestamp"):
            continue
        pod = pod_of(item)
        for text, level, at in _said(item):
            node = keys.get(pod.node, pod.node)
            key = (pod.title, text, node)
            if key in found:
                found[key] = replace(found[key], also=found[key].also + 1)
            else:
                found[key] = Evidence(Source.POD, quoted(pod.title, 200), text, moment(at, now), level, seen=not at, node=node)
    return list(found.values())


def _said(item: Mapping[str, Any]) -> Iterator[Said]:
    status = item.get("status") or {}
    phase = status.get("phase", "")
    if phase == "Succeeded":
        return
    if phase == "Failed" and status.get("reason"):
        yield quoted(f"Failed: {status['reason']}: {status.get('message', '')}"), Level.ERROR, status.get("startTime")
    if phase == "Pending":
        for one in status.get("conditions") or ():
            if one.get("type") == "PodScheduled" and one.get("status") == "False":
                text = quoted(f"{one.get('reason', '')}: {one.get('message', '')}")
                yield text, Level.WARNING, one.get("lastTransitionTime")
    for container in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        yield from _container(container, ended=phase == "Failed")


def _container(one: Mapping[str, Any], *, ended: bool) -> Iterator[Said]:
    state, before = one.get("state") or {}, (one.get("lastState") or {}).get("terminated") or {}
    waiting, terminated = state.get("waiting") or {}, state.get("terminated") or {}
    if waiting.get("reason", "") not in STARTING:
        yield quoted(f"{waiting['reason']}: {waiting.get('message', '')}"), Level.ERROR, before.get("finishedAt")
    for end in (terminated, before):
        if end.get("exitCode") and (ended or waiting or end is terminated or end.get("reason") == "OOMKilled"):
            text = quoted(f"{end.get('reason', 'Error')}, exit code {end['exitCode']}: {end.get('message', '')}".rstrip(": "))
            yield text, Level.ERROR, end.get("finishedAt")
