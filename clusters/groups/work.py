"""What runs on nodes that are to go or to restart: asked about in the plan, or known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clusters.reading.hyperpod import GroupReading, HyperPodReading
from clusters.sentences import listing
from operations.choices import Severity
from operations.plan import Check

TITLE = "Work"


def work_check(
    running: Sequence[str], disrupt: bool, where: str, effect: str, before: str = "Let it end or drain the nodes first"
) -> Check:
    """An error until `disrupt` says that it may be so. running: by name, at least one. where, effect, before: begin its sentences."""
    return Check(
        code="work_runs",
        severity=Severity.WARNING if disrupt else Severity.ERROR,
        title=TITLE,
        detail=f"{where}, this runs: {listing(running)}.",
        fix=f"{effect}." if disrupt else f"{before}, or send disrupt: true.",
        field="disrupt",
    )


def idle_check(nodes: str) -> Check:
    return Check(
        code="nothing_runs",
        severity=Severity.PASS,
        title=TITLE,
        detail=f"Nobody's work runs on {nodes}, only what the cluster itself consists of.",
    )


def none_left(found: HyperPodReading, group: GroupReading, count: int) -> Iterator[Check]:
    """A warning where the group's going down to `count` takes the cluster's last nodes."""
    if group.target_count and count + sum(one.target_count for one in found.groups if one.name != group.name) == 0:
        yield Check(
            code="no_node_left",
            severity=Severity.WARNING,
            title="Nodes",
            detail=f"{found.name} is left without nodes: CoreDNS, cert-manager, operators and webhooks stop until there are some again.",
            fix="Keep a node where something must go on; a small CPU group is enough.",
        )
