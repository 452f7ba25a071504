"""Nodes: conditions that are not as they should be, and the labels of HyperPod's health monitoring."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from clusters.diagnosis.evidence import Evidence, Level, Source, quoted
from clusters.diagnosis.gathering.objects import moment
from clusters.groups.choice import WELL
from clusters.reading.kubernetes import GROUP_LABEL, HEALTH_LABEL

PREFIX = "sagemaker.amazonaws.com/"
FAULTS = ("fault-types", "fault-reasons", "fault-type", "fault-reason")
"""The agent's labels; AWS's pages write them in both ways."""
DETAILS = f"{PREFIX}fault-details"
DEEP_CHECK = f"{PREFIX}deep-health-check-status"


def evidence(items: Iterable[Mapping[str, Any]], keys: Mapping[str, str], now: datetime) -> list[Evidence]:
    """Of all nodes. keys: Kubernetes' name → key here."""
    return [one for item in items for one in (*_conditions(item, keys, now), *_labels(item, keys, now))]


def _conditions(item: Mapping[str, Any], keys: Mapping[str, str], now: datetime) -> list[Evidence]:
    name, group = item["metadata"]["name"], (item["metadata"].get("labels") or {}).get(GROUP_LABEL, "")
    rows = []
    for one in (item.get("status") or {}).get("conditions") or ():
        kind, status = str(one.get("type", "")), str(one.get("status", ""))
        good = "True" if kind == "Ready" else "False"
        if status != good:
            text = quoted(f"{kind} is {status}: {one.get('reason', '')}: {one.get('message', '')}")
            level = Level.ERROR if kind == "Ready" else Level.WARNING
            at = moment(one.get("lastTransitionTime"), now)
            rows.append(Evidence(Source.NODE_CONDITION, f"node {name}", text, at, level, node=keys.get(name, name), group=group))
    return rows


def _labels(item: Mapping[str, Any], keys: Mapping[str, str], now: datetime) -> list[Evidence]:
    metadata = item["metadata"]
    labels, name = metadata.get("labels") or {}, metadata["name"]
    said = [f"{key}={labels[PREFIX + key]}" for key in FAULTS if labels.get(PREFIX + key)]
    health = labels.get(HEALTH_LABEL, "")
    if health not in WELL:
        said.insert(0, f"node-health-status={health}")
    if labels.get(DEEP_CHECK) == "Failed":
        said.append("deep-health-check-status: Deep health checks failed")
    if not said:
        return []
    said += _details(metadata)
    level = Level.INFO if said == ["node-health-status=Unschedulable"] else Level.ERROR
    text = quoted("; ".join(said))
    group = labels.get(GROUP_LABEL, "")
    return [Evidence(Source.HEALTH_LABEL, f"node {name}", text, now, level, seen=True, node=keys.get(name, name), group=group)]


def _details(metadata: Mapping[str, Any]) -> list[str]:
    """The annotation with the agent's own words: a JSON list, or whatever it is."""
    text = (metadata.get("annotations") or {}).get(DETAILS, "")
    try:
        return [f"fault-details={json.dumps(json.loads(text))}"] if text else []
    except ValueError:
        return [f"fault-details={text}"]
