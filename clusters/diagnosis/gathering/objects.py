"""What all Kubernetes objects have in common."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any


def moment(text: object, otherwise: datetime) -> datetime:
    """A time as Kubernetes writes it."""
    try:
        return datetime.fromisoformat(str(text).replace("Z", "+00:00")) if text else otherwise
    except ValueError:
        return otherwise


def title(item: Mapping[str, Any]) -> str:
    """ "Pod default/web"; "Namespace old"."""
    metadata = item["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{item.get('kind', 'object')} {place}{metadata['name']}"
