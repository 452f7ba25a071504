"""Pods: which are not well, and why. Reads only."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agentapi import budget
from agentapi.call import Call
from agentapi.inputs import OnCluster, Scalar, Segment, Text
from agentapi.outputs import Output
from agentapi.outside import inside, outside
from agentapi.rest import cursor_of
from agentapi.tool import Answer, Tool
from agentapi.words import UNKNOWN, ago, slim

NODES = 3
"""Of a group, that an answer names."""


class DiagnosePods(OnCluster):
    """where: which of them. limit: how many pods."""

    where: Annotated[dict[Segment, Scalar | list[Scalar]] | None, Field(max_length=4, description="reason, workload, namespace, node")] = (
        None
    )
    limit: Annotated[int, Field(ge=1, le=200)] = 60
    cursor: Annotated[Text | None, Field(description="next_cursor of the page before")] = None


class UnwellPods(Output):
    """items: by reason and workload; count: all of them, pods: the names of those on this page. read: how old this is."""

    pods_count: int | str
    unhealthy: int | str
    by_reason: dict[str, int]
    items: list[dict[str, Any]]
    next_cursor: str
    read: str
    unread: str


async def diagnose_pods(call: Call, asked: DiagnosePods) -> Answer:
    taken = await call.cluster(asked.cluster)
    where = {name: inside(value) if isinstance(value, str) else value for name, value in (asked.where or {}).items()}
    limit = asked.limit
    while True:
        found = await call.rest.get(f"clusters/{taken.name}/diagnosis/pods/", {**where, "cursor": asked.cursor, "limit": limit})
        answer = _told(found, taken.said)
        if limit == 1 or budget.fits(answer.headline, answer.data):
            return answer
        limit = _fewer(answer, found)  # asked again, so that the cursor begins where this answer ends


def _told(found: dict[str, Any], said: dict[str, Any]) -> Answer:
    unread = found["unhealthy_count"] is None
    data = {
        **said,
        "pods_count": UNKNOWN if unread else found["pods_count"],
        "unhealthy": UNKNOWN if unread else found["unhealthy_count"],
        "by_reason": {one["reason"]: one["count"] for one in found["by_reason"]},
        "read": ago(found["read"]["read_at"]),
        "unread": outside(found["read"]["sentence"], 160),
        "next_cursor": cursor_of(found["next"]),
    }
    if unread:
        headline = "Pods could not be read: nothing is said of them."
    elif found["unhealthy_count"]:
        headline = (
            f"{found['unhealthy_count']} of {found['pods_count']} pods are not well{', more with next_cursor' if found['next'] else ''}."
        )
    else:
        headline = f"None of {found['pods_count']} pods is unwell."
    # An agent looks for the rows, also where there are none.
    return Answer(headline, {**slim(data), "items": [_group(one) for one in found["results"]]})


def _group(one: dict[str, Any]) -> dict[str, Any]:
    return slim(
        {
            "reason": one["reason"],
            "workload": outside(one["workload"], 120),
            "count": one["count"],
            "pods": outside(", ".join(one["pods"]), 20_000),
            "nodes": ", ".join(outside(node) for node in one["nodes"][:NODES]),
            "since": ago(one["since"]),
            "restarts": one["restarts"] or None,
            "message": outside(one["message"], 100),
        }
    )


def _fewer(answer: Answer, found: dict[str, Any]) -> int:
    """About as many pods as fit."""
    pods = sum(len(one["pods"]) for one in found["results"])
    size = budget.estimate(budget.written(answer.headline, answer.data)) + budget.estimate(budget.compact(answer.data))
    return max(1, min(pods - 1, pods * (budget.ANSWER - 200) // size))


TOOLS = (
    Tool(
        "diagnose_pods",
        "Find unhealthy pods",
        "Pods that are not well, by reason and workload.",
        "diagnose",
        DiagnosePods,
        UnwellPods,
        diagnose_pods,
    ),
)
