"""Objects that are being deleted and do not go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from clusters.diagnosis.evidence import Evidence, Level, Source, quoted
from clusters.diagnosis.gathering.objects import moment, title

STUCK = timedelta(minutes=2)
"""Before that a deletion is under way as it should be."""


def evidence(items: Iterable[Mapping[str, Any]], keys: Mapping[str, str], now: datetime) -> list[Evidence]:
    """Of namespaces, claims and pods whose deletion was asked for STUCK ago."""
    rows = []
    for item in items:
        metadata = item["metadata"]
        asked = metadata.get("deletionTimestamp")
        if not asked or now - moment(asked, now) < STUCK:
            continue
        node = (item.get("spec") or {}).get("nodeName") or ""
        said = _conditions(item)
        if metadata.get("finalizers"):
            said.append(f"held by finalizers {', '.join(metadata['finalizers'])}")
        for text in said or ["still there"]:
            words = quoted(f"Being deleted since {asked}: {text}")
            subject = quoted(title(item), 200)
            rows.append(Evidence(Source.DELETION, subject, words, moment(asked, now), Level.ERROR, node=keys.get(node, node)))
    return rows


def _conditions(item: Mapping[str, Any]) -> list[str]:
    """What a namespace that is going says is left in it."""
    conditions = (item.get("status") or {}).get("conditions") or ()
    if item.get("kind") != "Namespace":
        return []
    return [f"{one.get('type')}: {one.get('reason', '')}: {one.get('message', '')}" for one in conditions if one.get("status") == "True"]
