"""Objects in Kubernetes that use a feature, by name: it is not turned off under them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clusters.reading.reader import ClusterReader

Wanted = Callable[[Mapping[str, Any]], bool]


def objects(reader: ClusterReader, api_version: str, kind: str, wanted: Wanted = lambda item: True, namespace: str = "") -> list[str]:
    """ "Kind namespace/name" of each that is wanted; [] where there is no Kubernetes, or no such kind."""
    return [title(item) for item in reader.objects(api_version, kind, namespace) if wanted(item)]


def title(item: Mapping[str, Any]) -> str:
    metadata = item["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{item['kind']} {place}{metadata['name']}"
