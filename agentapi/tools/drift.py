"""Drift: fields that another hand has changed, and what becomes of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import ClusterChange, ClusterListing, OnCluster
from agentapi.listing import page
from agentapi.outputs import Change, One, Page
from agentapi.outside import outside, outside_all
from agentapi.tool import Answer, Tool, Verify
from agentapi.tools.operation import DONE
from agentapi.words import ago, slim


def row(found: dict[str, Any]) -> dict[str, Any]:
    """A drift in one line."""
    return {
        "drift": found["id"],
        "resource": outside_all(found["resource"]),
        "field": outside_all(found["field"]),
        "meant": outside_all(found["desired"]),
        "is": outside_all(found["observed"]),
        "state": found["state"],
        "by": outside(found["by_whom"], 80),
        "seen": ago(found["last_seen"]),
    }


async def list_drift(call: Call, asked: ClusterListing) -> Answer:
    taken = await call.cluster(asked.cluster)
    return await page(call, f"clusters/{taken.name}/drift/", asked, row, "drift", said=taken.said)


class GetDrift(OnCluster):
    """drift: its id, of drift_list."""

    drift: int


class DriftOne(One):
    """One field that another hand has changed."""

    drift: int
    state: str


async def get_drift(call: Call, asked: GetDrift) -> Answer:
    taken = await call.cluster(asked.cluster)
    found = await call.rest.get(f"clusters/{taken.name}/drift/{asked.drift}/")
    more = {"first_seen": ago(found["first_seen"]), "changed": ago(found["changed_at"]), "event": outside_all(found["event_name"])}
    return Answer(f"The drift is {found['state']}.", {**taken.said, **slim({**row(found), **more})})


class DecideDrift(ClusterChange):
    """drift: its id."""

    drift: int


class IgnoreDrift(DecideDrift):
    """ignored: false points it out again."""

    ignored: bool = True


class RevertDrift(DecideDrift):
    """disrupt: let nodes go although something runs on them."""

    disrupt: bool = False


def deciding(verb: str) -> Callable[[Call, Any], Awaitable[Answer]]:
    """The coroutine of a tool that decides so."""

    async def run(call: Call, asked: DecideDrift) -> Answer:
        taken = await call.cluster(asked.cluster)
        body: dict[str, Any] = {name: getattr(asked, name) for name in ("ignored", "disrupt") if name in asked.model_fields_set}
        shown_again = isinstance(asked, IgnoreDrift) and not asked.ignored
        values = {"cluster": taken.name, "drift": asked.drift, "wanted": "open" if shown_again else "ignored"}
        path = f"clusters/{taken.name}/drift/{asked.drift}/{verb}/"
        return await change(call, asked, "POST", path, body=body, values=values, said=taken.said)

    return run


async def observe_drift(call: Call, asked: ClusterChange) -> Answer:
    taken = await call.cluster(asked.cluster)
    path = f"clusters/{taken.name}/drift/observe/"
    return await change(call, asked, "POST", path, values={"cluster": taken.name}, said=taken.said)


def _drift(until: str) -> Verify:
    return Verify("drift_get", {"cluster": "{cluster}", "drift": "{drift}"}, until)


TOOLS = (
    Tool(
        "drift_list",
        "List drift",
        "What another hand has changed: meant, is, by whom. where: state (open …), resource.",
        "governance",
        ClusterListing,
        Page,
        list_drift,
    ),
    Tool("drift_get", "Look at a drift", "One drift, with who changed it when.", "governance", GetDrift, DriftOne, get_drift),
    Tool(
        "drift_observe",
        "Look for drift now",
        "Compare now what is compared hourly.",
        "governance",
        ClusterChange,
        Change,
        observe_drift,
        DONE,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "drift_accept",
        "Accept a drift",
        "What is there is what is meant from now on. AWS is not changed.",
        "governance",
        DecideDrift,
        Change,
        deciding("accept"),
        _drift("state is accepted"),
        idempotent=True,
    ),
    Tool(
        "drift_ignore",
        "Ignore a drift",
        "Point it out no longer.",
        "governance",
        IgnoreDrift,
        Change,
        deciding("ignore"),
        _drift("state is {wanted}"),
        idempotent=True,
    ),
    Tool(
        "drift_revert",
        "Put a drift back",
        "Put the field back as it was meant.",
        "governance",
        RevertDrift,
        Change,
        deciding("revert"),
        _drift("state is resolved"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
)
