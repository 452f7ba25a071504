"""One diagnosis: reads what is known, judges it, says what to do next."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from clusters.diagnosis.evidence import Evidence, Source
from clusters.diagnosis.findings import Finding, judge
from clusters.diagnosis.gathering import hyperpod, kubernetes, operations, phases
from clusters.diagnosis.gathering.part import Gathered, Part, PartState
from clusters.diagnosis.proposals import Proposed, proposed
from clusters.groups.advice import NextStep, next_steps
from clusters.models import Cluster, ClusterEvent, Node
from clusters.reading.hyperpod import kubernetes_name

NODE_EVENTS = 30
HEALTH = re.compile(r"node-health-status=(\w+)")


@dataclass(frozen=True)
class Found:
    """A finding with what could be done about it."""

    finding: Finding
    actions: tuple[Proposed, ...]


@dataclass(frozen=True)
class Diagnosis:
    """node: None for the whole cluster. left: evidence that no known error explains, likeliest first. parts: what was read."""

    cluster: Cluster
    node: Node | None
    at: datetime
    findings: tuple[Found, ...]
    left: tuple[Evidence, ...]
    parts: tuple[Part, ...]
    next_steps: tuple[NextStep, ...]

    @property
    def standing(self) -> list[Found]:
        return [one for one in self.findings if one.finding.standing]

    @property
    def unread(self) -> list[Part]:
        """What could not be read, or not lately."""
        return [part for part in self.parts if part.state in (PartState.UNREADABLE, PartState.STALE)]

    @property
    def summary(self) -> str:
        """One sentence."""
        what = f"node {self.node.key}" if self.node else f"cluster {self.cluster.name}"
        standing = self.standing
        if standing:
            count = f"{len(standing)} known error{'s' if len(standing) > 1 else ''}"
            said = f"{count} on {what}; the likeliest: {standing[0].finding.error.title}."
        elif any(one.standing for one in self.left):
            said = f"No known error fits {what}; what was told of it is listed, the likeliest first."
        else:
            said = f"Nothing speaks of a present error on {what}."
        return f"{said} {len(self.unread)} of {len(self.parts)} parts could not be read lately." if self.unread else said


def examine(cluster: Cluster, node: Node | None = None) -> Diagnosis:
    """Reads only: the observed rows, and Kubernetes through its watch cache and API."""
    now = timezone.now()
    nodes, groups = list(cluster.nodes.defer("labels")), list(cluster.groups.all())
    found = Gathered()
    keys = {kubernetes_name(one.instance_id) or one.key: one.key for one in nodes}
    hyperpod.gather(found, cluster, nodes, groups, now)
    if node is None:  # nothing that is told there is about one node
        phases.gather(found, cluster, now)
    operations.gather(found, cluster, now)
    kubernetes.gather(found, cluster, keys, now, only=kubernetes_name(node.instance_id) if node else "")
    evidence = found.evidence if node is None else [one for one in found.evidence if _concerns(one, node)]
    findings, left = judge(evidence)
    events = _events(node) if node else []
    steps = next_steps(_as_labelled(node, evidence), events) if node else []
    return Diagnosis(
        cluster,
        node,
        now,
        tuple(Found(one, proposed(cluster, one, nodes, steps)) for one in findings),
        tuple(left),
        tuple(found.parts),
        tuple(steps) or _steps(node, findings, left),
    )


def _as_labelled(node: Node, evidence: list[Evidence]) -> Node:
    """The node with the health that Kubernetes tells now, where it tells one: the row may be a look older."""
    said = next((found for one in evidence if one.source is Source.HEALTH_LABEL and (found := HEALTH.search(one.text))), None)
    labelled = copy(node)
    labelled.health = said[1] if said else node.health
    return labelled


def _concerns(one: Evidence, node: Node) -> bool:
    """What is about the node; and what is about its group as a whole, while the node has not come."""
    if one.node:
        return one.node in (node.key, node.instance_id)
    return bool(one.group) and one.group == node.group_name and not node.instance_id


def _events(node: Node) -> list[ClusterEvent]:
    found = ClusterEvent.objects.filter(cluster_id=node.cluster_id, instance_id=node.instance_id).order_by("-at", "-id")
    return list(found[:NODE_EVENTS]) if node.instance_id else []


def _steps(node: Node | None, findings: list[Finding], left: list[Evidence]) -> tuple[NextStep, ...]:
    """Where the rows do not call the node unwell, or for a cluster: analyse, then what the findings propose, in that order."""
    standing = [one for one in findings if one.standing]
    if not standing and not any(one.standing for one in left):
        return ()
    first = standing[0].error if standing else None
    steps = [NextStep("analyse", f"{first.title}. {first.fix}" if first else "Read what was told, the likeliest first.")]
    kinds = {one.error.proposal.kind for one in standing if one.error.proposal}
    if "node.reboot" in kinds:
        steps.append(NextStep("reboot", "A reboot clears faults of drivers and of software, and keeps the volumes."))
    if {"node.reboot", "node.replace"} & kinds:
        steps.append(NextStep("replace", "If a reboot does not help or can't: another machine, with new volumes."))
    return tuple(steps)
