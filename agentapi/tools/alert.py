"""Alerts: what is the matter, and was."""

from __future__ import annotations

from typing import Any

from agentapi.call import Call
from agentapi.inputs import Listing
from agentapi.listing import page
from agentapi.outputs import Page
from agentapi.outside import outside, outside_all
from agentapi.tool import Answer, Tool
from agentapi.words import ago


class ListAlerts(Listing):
    """open: false for those that are over."""

    open: bool = True


def row(found: dict[str, Any]) -> dict[str, Any]:
    """An alert in one line."""
    return {
        "alert": found["id"],
        "kind": found["kind"],
        "severity": found["severity"],
        "subject": outside_all(found["subject"]),
        "cluster": found["cluster"],
        "text": outside(found["sentence"]),
        "fix": found["fix"],
        "opened": ago(found["opened_at"]),
        "closed": ago(found["closed_at"]) if found["closed_at"] else "",
        "known_to": outside(found["acknowledged_by"]) if found["acknowledged_by"] else "",
    }


async def list_alerts(call: Call, asked: ListAlerts) -> Answer:
    return await page(call, "alerts/", asked, row, "alert", params={"open": str(asked.open).lower()})


TOOLS = (
    Tool(
        "alert_list",
        "List alerts",
        "What is the matter, newest first. where: kind, severity, cluster, acknowledged, since.",
        "diagnose",
        ListAlerts,
        Page,
        list_alerts,
    ),
)
