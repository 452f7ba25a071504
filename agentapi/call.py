"""One call of a tool: who calls, the way to REST, and which cluster is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentapi.errors import ToolError
from agentapi.rest import Rest

if TYPE_CHECKING:
    from agentapi.tool import Tool


@dataclass(frozen=True)
class Taken:
    """The cluster a call is about. how: why it is this one, "" when the caller named it."""

    name: str
    how: str = ""

    @cached_property
    def said(self) -> dict[str, str]:
        """What every answer says of it."""
        return {"cluster": self.name, **({"cluster_taken": self.how} if self.how else {})}


@dataclass(frozen=True)
class Call:
    """tool: the one that is called. me: what GET /me/ says of the caller."""

    tool: Tool
    rest: Rest
    me: Mapping[str, Any]

    async def cluster(self, named: str | None) -> Taken:
        """The cluster named, else the preferred one, else the only one. ToolError when that is none or many."""
        if named:
            return Taken(named)
        if self.me.get("preferred_cluster"):
            return Taken(str(self.me["preferred_cluster"]), "the preferred one")
        rows = (await self.rest.get("clusters/", {"limit": 2, "fields": "name"}))["results"]
        if len(rows) == 1:
            return Taken(str(rows[0]["name"]), "the only one")
        if rows:
            raise ToolError(
                "cluster_not_named",
                "There are several clusters and none is preferred.",
                "Give `cluster`, or prefer one with cluster_prefer.",
                {"tool": "cluster_list", "arguments": {}},
            )
        raise ToolError(
            "no_cluster",
            "There is no cluster that this token may know of.",
            "Plan one first: cluster_create with dry_run true.",
            {"tool": "cluster_list", "arguments": {}},
        )
