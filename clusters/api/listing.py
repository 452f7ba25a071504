"""The list of clusters: one query of four columns, put together from the text that each row keeps of itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.utils import timezone
from rest_framework.renderers import JSONRenderer

from clusters.listed import text
from clusters.models import Cluster
from operations.models.observed_source import is_stale

COLUMNS = ("id", "name", "listed", "observed_at", "interval")


class ReadyJson(str):
    """Text that is JSON already."""

    __slots__ = ()


class ListingRenderer(JSONRenderer):
    """JSON, which lets ready text through."""

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        if isinstance(data, ReadyJson):
            return data.encode()
        return super().render(data, accepted_media_type, renderer_context)


def texts(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Each cluster's body as JSON, from dictionaries of COLUMNS."""
    at = timezone.now()
    found = []
    for row in rows:
        kept = row["listed"] or text(Cluster.objects.get(pk=row["id"]))
        stale = "true" if is_stale(row["observed_at"], row["interval"], at) else "false"
        found.append(f'{kept[:-1]},"stale":{stale}}}')
    return found


def page(bodies: list[str], following: str | None, previous: str | None) -> ReadyJson:
    """The page's body."""
    return ReadyJson(f'{{"next":{json.dumps(following)},"previous":{json.dumps(previous)},"results":[{",".join(bodies)}]}}')


def only(bodies: list[str], names: list[str]) -> list[dict[str, Any]]:
    """With those members only."""
    parsed = (json.loads(body) for body in bodies)
    return [{name: body[name] for name in names} for body in parsed]
