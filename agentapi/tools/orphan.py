"""Orphans: resources with our tags that belong to no cluster."""

from __future__ import annotations

from typing import Any

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import Changing, Listing, Text, ToolInput, given
from agentapi.listing import page
from agentapi.outputs import Change, One, Page
from agentapi.outside import inside, outside, outside_all
from agentapi.tool import Answer, Tool, Verify
from agentapi.tools.operation import DONE
from agentapi.words import ago, money, slim


def row(found: dict[str, Any]) -> dict[str, Any]:
    """An orphan in one line."""
    return {
        "orphan": found["id"],
        "kind": found["kind"],
        "type": found["resource_type"],
        "name": outside(found["name"], 100),
        "region": found["region"],
        "of": outside_all(found["cluster"]),
        "cost": money(found["cost_per_hour"]),
        "since": ago(found["first_seen"]),
        "seen": ago(found["last_seen"]),
    }


async def list_orphans(call: Call, asked: Listing) -> Answer:
    return await page(call, "orphans/", asked, row, "orphan")


class GetOrphan(ToolInput):
    """orphan: its id, of orphan_list."""

    orphan: int


class OrphanOne(One):
    """One orphan."""

    orphan: int
    arn: str


async def get_orphan(call: Call, asked: GetOrphan) -> Answer:
    found = await call.rest.get(f"orphans/{asked.orphan}/")
    return Answer("An orphan.", slim({**row(found), "arn": outside(found["arn"])}))


class ObserveOrphans(Changing):
    """Left out: every region and account that is known."""

    region: Text | None = None
    account: Text | None = None


async def observe_orphans(call: Call, asked: ObserveOrphans) -> Answer:
    return await change(call, asked, "POST", "orphans/observe/", body=given(asked, "region", "account"))


class DeleteOrphan(Changing):
    """confirm: its name once more."""

    orphan: int
    confirm: Text


async def delete_orphan(call: Call, asked: DeleteOrphan) -> Answer:
    body = {"confirm": inside(asked.confirm)}
    return await change(call, asked, "DELETE", f"orphans/{asked.orphan}/", body=body, values={"orphan": asked.orphan})


TOOLS = (
    Tool(
        "orphan_list",
        "List orphans",
        "Resources that belong to no cluster, with age and cost. where: kind, resource_type, region, cluster.",
        "governance",
        Listing,
        Page,
        list_orphans,
    ),
    Tool("orphan_get", "Look at an orphan", "One orphan.", "governance", GetOrphan, OrphanOne, get_orphan),
    Tool(
        "orphan_observe",
        "Look for orphans now",
        "Sweep now what is swept hourly.",
        "governance",
        ObserveOrphans,
        Change,
        observe_orphans,
        DONE,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "orphan_delete",
        "Delete an orphan",
        "Delete it, once it was looked at again. A person approves.",
        "governance",
        DeleteOrphan,
        Change,
        delete_orphan,
        Verify("orphan_get", {"orphan": "{orphan}"}, "error.code is not_found"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
)
