"""Diagnosis: what is wrong with a cluster or a node, with evidence, confidence and the next step. Reads only; writes are proposed."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agentapi import budget
from agentapi.call import Call
from agentapi.inputs import OnCluster
from agentapi.outputs import Output
from agentapi.outside import outside, outside_all
from agentapi.tool import Answer, Tool
from agentapi.tools.node import NodeKey, key_of
from agentapi.words import ago, slim

FITTING = ((20, 2, 160), (4, 2, 120), (4, 1, 120), (3, 1, 100), (2, 1, 100))
"""Findings, rows of evidence of each, and characters of a row: the first that is within the budget. The surest keep their words."""


class DiagnoseCluster(OnCluster):
    """limit: how many findings."""

    limit: Annotated[int, Field(ge=1, le=20)] = 4


class DiagnoseNode(DiagnoseCluster):
    """node: its instance id."""

    node: NodeKey


class Diagnosis(Output):
    """findings: surest first. unexplained: evidence that no known error explains, likeliest first. next_steps: in order; propose them."""

    node: str
    summary: str
    findings: list[dict[str, Any]]
    more_findings: int
    unexplained: list[dict[str, Any]]
    next_steps: list[dict[str, Any]]
    unread: list[str]


async def diagnose_cluster(call: Call, asked: DiagnoseCluster) -> Answer:
    taken = await call.cluster(asked.cluster)
    found = await call.rest.get(f"clusters/{taken.name}/diagnosis/", {"limit": asked.limit})
    return _told(found, taken.said)


async def diagnose_node(call: Call, asked: DiagnoseNode) -> Answer:
    taken = await call.cluster(asked.cluster)
    found = await call.rest.get(f"clusters/{taken.name}/nodes/{key_of(asked.node)}/diagnosis/", {"limit": asked.limit})
    return _told(found, {**taken.said, "node": key_of(asked.node)})


def _told(found: dict[str, Any], said: dict[str, Any]) -> Answer:
    for findings, evidence, characters in FITTING:
        answer = _answer(found, said, findings, evidence, characters)
        if budget.fits(answer.headline, answer.data):
            break
    return answer


def _answer(found: dict[str, Any], said: dict[str, Any], findings: int, evidence: int, characters: int) -> Answer:
    shown = found["findings"][:findings]
    data = {
        "summary": outside_all(found["summary"]) if "<" in found["summary"] else found["summary"],
        "findings": [_finding(one, evidence, characters) for one in shown],
        "more_findings": max(0, found["findings_count"] - len(shown)) or None,
        "unexplained": [_evidence(one, characters) for one in found["unexplained"][: min(4, findings)]],
        "next_steps": [{"action": one["action"], "reason": outside(one["reason"], 160)} for one in found["next_steps"]],
        "unread": [f"{one['name']}: {outside(one['sentence'], 120)}" for one in found["unread"]],
    }
    first = found["findings"][0] if found["findings"] else None
    headline = f"Likely ({first['confidence']}): {first['title']}." if first else "No known error fits what was read."
    # Members that say that there is nothing stay: an agent looks for them.
    return Answer(headline, {**said, **slim(data), "findings": data["findings"], "next_steps": data["next_steps"]})


def _finding(one: dict[str, Any], evidence: int, characters: int) -> dict[str, Any]:
    proposed = [{"tool": action["kind"].replace(".", "_"), "arguments": outside_all(action["input"])} for action in one["actions"][:2]]
    return slim(
        {
            "code": one["code"],
            "title": one["title"],
            "cause": one["cause"],
            "confidence": one["confidence"],
            "past": not one["standing"] or None,
            "fix": one["fix"],
            "about": [outside(subject, 80) for subject in one["subjects"][:3]],
            "proposed": proposed,
            "evidence": [_evidence(row, characters) for row in one["evidence"][:evidence]],
        }
    )


def _evidence(one: dict[str, Any], characters: int) -> dict[str, Any]:
    return slim(
        {"at": ago(one["at"]), "source": one["source"], "about": outside(one["subject"], 80), "text": outside(one["text"], characters)}
    )


TOOLS = (
    Tool(
        "diagnose_cluster",
        "Diagnose a cluster",
        "Likely causes of what is wrong, with confidence, evidence, fix and proposed actions.",
        "diagnose",
        DiagnoseCluster,
        Diagnosis,
        diagnose_cluster,
    ),
    Tool(
        "diagnose_node",
        "Diagnose a node",
        "The same for one node, with the next step: analyse, reboot, replace.",
        "diagnose",
        DiagnoseNode,
        Diagnosis,
        diagnose_node,
    ),
)
