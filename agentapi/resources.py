"""Documents that an agent can read: each source lists some and reads them by their address, through REST."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import mcp_types as types

from agentapi.budget import compact
from agentapi.rest import Rest


@dataclass(frozen=True)
class Document:
    text: str
    mime_type: str = "application/json"


@dataclass(frozen=True)
class Source:
    """prefix: what the addresses of its documents begin with. read: the document at an address, None for none there."""

    prefix: str
    listed: Callable[[Rest], Awaitable[list[types.Resource]]]
    read: Callable[[Rest, str], Awaitable[Document | None]]


def _one(uri: str, name: str, title: str, description: str, load: Callable[[Rest], Awaitable[str]]) -> Source:
    async def listed(rest: Rest) -> list[types.Resource]:
        return [types.Resource(uri=uri, name=name, title=title, description=description, mime_type="application/json")]

    async def read(rest: Rest, asked: str) -> Document | None:
        return Document(await load(rest)) if asked == uri else None

    return Source(uri, listed, read)


async def _rules(rest: Rest) -> str:
    return compact(await rest.get("rules/"))


async def _catalog(rest: Rest) -> str:
    found = await rest.get("catalog/instance-types/")
    kept = ("name", "accelerator", "accelerators", "accelerator_gb", "vcpus", "memory_gib", "efa", "price_per_hour", "zones")
    rows = [{name: row.get(name) for name in kept} for row in found["results"]]
    return compact({"region": found["region"], "read_at": found["read_at"], "instance_types": rows})


RULES = _one("instantstart://rules", "rules", "Rules", "What excludes or requires what, with the fix of each.", _rules)
CATALOG = _one(
    "instantstart://catalog", "catalog", "Catalogue", "Instance types of the region with accelerators, price and zones.", _catalog
)
