"""Training plans: what AWS offers, and buying one."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import Changing, Listing, Text, given
from agentapi.listing import shown
from agentapi.outputs import Change, Page
from agentapi.tool import Answer, Tool
from agentapi.tools.operation import DONE
from agentapi.words import ago

WISH = ("region", "account", "instance_type", "count", "hours", "starts_after", "ends_before")


class Offers(Listing):
    """A wish. hours: whole days. starts_after, ends_before: moments such as 2026-12-24T00:00:00Z."""

    instance_type: Text
    count: Annotated[int, Field(ge=1, le=256)]
    hours: Annotated[int, Field(ge=1, description="whole days")]
    region: Text | None = None
    account: Text | None = None
    zone: Text | None = None
    starts_after: Text | None = None
    ends_before: Text | None = None


class OfferPage(Page):
    """region: where."""

    region: str


def row(found: dict[str, Any]) -> dict[str, Any]:
    """An offer in one line."""
    each = found["per_instance_hour"]
    return {
        "offering": found["id"],
        "count": found["count"],
        "hours": found["hours"],
        "zones": found["zones"],
        "starts": found["starts"],
        "begins": ago(found["starts"]),
        "fee": found["fee"],
        "currency": found["currency"],
        "each": "" if each is None else f"{each:.2f} {found['currency']}/h",
    }


async def offers(call: Call, asked: Offers) -> Answer:
    params = {name: getattr(asked, name) for name in (*WISH, "zone")}
    found = await call.rest.get("catalog/training-plan-offers/", params)
    return shown(call, found["results"], asked, row, "offer", {"region": found["region"]})


class Buy(Changing):
    """The offer with the wish that found it. plan: the name it gets. fee: the price seen."""

    plan: Text
    offering: Text
    fee: Text
    instance_type: Text
    count: int
    hours: int
    region: Text | None = None
    account: Text | None = None
    starts_after: Text | None = None
    ends_before: Text | None = None


async def buy(call: Call, asked: Buy) -> Answer:
    body = {**given(asked, "plan", "offering", "fee", *WISH), "confirm": asked.plan}
    return await change(call, asked, "POST", "training-plans/", body=body)


TOOLS = (
    Tool(
        "training_plan_offers",
        "Search training plans",
        "What AWS offers for a wish, cheapest first; asked anew.",
        "governance",
        Offers,
        OfferPage,
        offers,
        open_world=True,
    ),
    Tool(
        "training_plan_buy",
        "Buy a training plan",
        "Buy an offer. Paid at once, never taken back; admins only, and a person approves.",
        "governance",
        Buy,
        Change,
        buy,
        DONE,
        destructive=True,
        open_world=True,
    ),
)
