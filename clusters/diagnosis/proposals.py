"""What could be done about a finding: an action of ours with its input, to be planned and decided by whoever reads. Never run here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from clusters.diagnosis.entry import Proposal
from clusters.diagnosis.findings import Finding
from clusters.groups.advice import NextStep
from clusters.models import Cluster, Node

NODES_NAMED = 20
VERBS = {"node.reboot": "reboot", "node.replace": "replace"}


@dataclass(frozen=True)
class Proposed:
    """kind, input: of the action. method, href, body: the call that makes its plan (with ?dry_run=true) or does it. page: where a person
    sees the plan first."""

    kind: str
    input: dict[str, Any]
    method: str
    href: str
    body: dict[str, Any]
    page: str


def proposed(cluster: Cluster, finding: Finding, nodes: Sequence[Node], steps: Sequence[NextStep]) -> tuple[Proposed, ...]:
    """None for what is past, and none for a cluster that is only observed."""
    proposal = finding.error.proposal
    if proposal is None or not finding.standing or cluster.observed_only:
        return ()
    if proposal.each_node:
        return _of_nodes(cluster, proposal, finding, nodes, steps)
    if proposal.each_phase:
        return tuple(_of_phase(cluster, proposal, phase) for phase in finding.phases[:1])
    return ()


def _of_nodes(
    cluster: Cluster, proposal: Proposal, finding: Finding, nodes: Sequence[Node], steps: Sequence[NextStep]
) -> tuple[Proposed, ...]:
    there = {node.key for node in nodes if node.instance_id}
    named = [key for key in finding.nodes if key in there][:NODES_NAMED]
    if not named:
        return ()
    kind = proposal.kind
    if kind == "node.reboot" and len(steps) > 1 and steps[1].action == "replace":
        kind = "node.replace"  # it was rebooted already, or is marked for it
    verb = VERBS[kind]
    body = {"nodes": named}
    page = reverse("clusters-web:node-verb", args=[cluster.name, named[0], verb])
    href = f"/api/v1/clusters/{cluster.name}/nodes/batch/{verb}/"
    return (Proposed(kind, {"name": cluster.name, **body}, "POST", href, body, page),)


def _of_phase(cluster: Cluster, proposal: Proposal, phase: str) -> Proposed:
    given = {"name": cluster.name, "phase": phase}
    href = f"/api/v1/clusters/{cluster.name}/phases/{phase}/retry/"
    return Proposed(proposal.kind, given, "POST", href, {}, reverse("clusters-web:detail", args=[cluster.name]))
