"""Service quotas: what is in use, what is left, whether a group would fit."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import Changing, Listing, Text, ToolInput, given
from agentapi.listing import page
from agentapi.outputs import Change, One, Page
from agentapi.tool import Answer, Tool, Verify
from agentapi.tools.operation import DONE
from agentapi.words import UNKNOWN, ago, known, slim


def row(found: dict[str, Any]) -> dict[str, Any]:
    """A quota in one line."""
    return {
        "id": found["id"],
        "service": found["service"],
        "name": found["name"],
        "region": found["region"],
        "limit": known(found["limit"]),
        "used": known(found["used"]),
        "left": known(found["left"]),
        "requested": f"{found['requested']:g} ({found['request_status']})" if found["requested"] is not None else "",
        "seen": ago(found["observed_at"]),
    }


async def list_quotas(call: Call, asked: Listing) -> Answer:
    return await page(call, "quotas/", asked, row, "quota")


class FitQuota(ToolInput):
    """A group as it would be added."""

    instance_type: Text
    count: Annotated[int, Field(ge=1, le=6758)] = 1
    capacity: Annotated[Text | None, Field(description="on-demand, spot or training-plan")] = None
    region: Text | None = None
    account: Text | None = None


class FitPage(Page):
    """fits: yes, no or unknown."""

    fits: str


async def fit_quota(call: Call, asked: FitQuota) -> Answer:
    found = await call.rest.get("quotas/fit/", asked.model_dump(exclude_none=True))
    rows = [
        {"name": one["name"], "limit": known(one["limit"]), "used": known(one["used"]), "takes": one["more"], "fits": said(one["fits"])}
        for one in found["results"]
    ]
    outcomes = {one["fits"] for one in rows}
    verdict = "no" if "no" in outcomes else UNKNOWN if UNKNOWN in outcomes or not rows else "yes"
    return Answer(f"{asked.count} {asked.instance_type} within the quotas: {verdict}.", {"fits": verdict, "items": rows})


def said(fits: bool | None) -> str:
    return UNKNOWN if fits is None else "yes" if fits else "no"


class GetQuota(ToolInput):
    """quota: its id, of quota_list."""

    quota: int


class QuotaOne(One):
    """One quota. request: the last one for more, and what became of it."""

    name: str
    requested: float


async def get_quota(call: Call, asked: GetQuota) -> Answer:
    found = await call.rest.get(f"quotas/{asked.quota}/")
    data = {**row(found), "requested": found["requested"], "request": found["request_status"], "pending": found["pending"]}
    return Answer(f"{found['name']}: {known(found['left'])} left of {known(found['limit'])}.", slim(data))


class ObserveQuotas(Changing):
    """Left out: the installation's own."""

    region: Text | None = None
    account: Text | None = None


async def observe_quotas(call: Call, asked: ObserveQuotas) -> Answer:
    return await change(call, asked, "POST", "quotas/observe/", body=given(asked, "region", "account"))


class IncreaseQuota(Changing):
    """value: the limit to ask for."""

    quota: int
    value: Annotated[float, Field(gt=0, le=10_000_000)]


async def increase_quota(call: Call, asked: IncreaseQuota) -> Answer:
    values = {"quota": asked.quota, "value": asked.value}
    return await change(call, asked, "POST", f"quotas/{asked.quota}/increase/", body={"value": asked.value}, values=values)


TOOLS = (
    Tool(
        "quota_list",
        "List quotas",
        "Limit, use and rest as last observed. where: near, in_use, pending, service, region, instance_type.",
        "core",
        Listing,
        Page,
        list_quotas,
    ),
    Tool(
        "quota_fit",
        "Check quotas for a group",
        "Whether so many instances fit in the quotas.",
        "core",
        FitQuota,
        FitPage,
        fit_quota,
    ),
    Tool("quota_get", "Look at a quota", "One quota, and the request for more.", "governance", GetQuota, QuotaOne, get_quota),
    Tool(
        "quota_observe",
        "Look at quotas now",
        "Read the quotas of a region from AWS now.",
        "governance",
        ObserveQuotas,
        Change,
        observe_quotas,
        DONE,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "quota_request_increase",
        "Ask for more quota",
        "Ask AWS for a higher limit; an open request for as much is not repeated.",
        "governance",
        IncreaseQuota,
        Change,
        increase_quota,
        Verify("quota_get", {"quota": "{quota}"}, "requested is {value}"),
        idempotent=True,
        open_world=True,
    ),
)
