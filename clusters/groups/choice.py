"""Which nodes go when a group becomes smaller: idle ones first, of these the unhealthy, of these the newest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusters.reading.hyperpod import InstanceReading
from clusters.reading.kubernetes import NodeReading
from clusters.reading.pods import PodReading, titles, work_on

GOING = ("ShuttingDown", "NotFound")
WELL = frozenset({"", "Schedulable"})


@dataclass(frozen=True)
class Candidate:
    """A node that may go. work: what runs on it, by name."""

    instance: InstanceReading
    work: tuple[str, ...]
    healthy: bool

    @property
    def reason(self) -> str:
        """Why it is among the first, in words."""
        if not self.instance.instance_id:
            return "has no instance yet"
        health = "" if self.healthy else ", not healthy"
        return f"idle{health}" if not self.work else f"runs {', '.join(self.work)}{health}"

    def as_json(self) -> dict[str, Any]:
        """What a step finds it by: its instance, or while it has none its place."""
        return {"instance_id": self.instance.instance_id, "logical_id": self.instance.logical_id}


def alive(instances: Iterable[InstanceReading], group: str) -> list[InstanceReading]:
    """The group's nodes that are not on their way out."""
    return [item for item in instances if item.group_name == group and item.status not in GOING]


def candidates(instances: Iterable[InstanceReading], nodes: Iterable[NodeReading], pods: Iterable[PodReading]) -> list[Candidate]:
    """In the order in which they go."""
    by_name = {node.name: node for node in nodes}
    listed = list(pods)
    found = [
        Candidate(item, tuple(titles(work_on(listed, [item.kubernetes_name]))), _healthy(item, by_name.get(item.kubernetes_name)))
        for item in instances
    ]
    return sorted(found, key=lambda one: (bool(one.work), bool(one.instance.instance_id), one.healthy, -_launched(one), one.instance.key))


def same_node(planned: Mapping[str, Any], item: InstanceReading) -> bool:
    """Whether it is the node that was meant. One that got another instance since is another node."""
    if planned["instance_id"]:
        return bool(item.instance_id == planned["instance_id"])
    return bool(item.logical_id == planned["logical_id"])


def still_there(planned: Sequence[Mapping[str, Any]], instances: Iterable[InstanceReading]) -> list[InstanceReading]:
    """Those of the planned nodes that are neither gone nor on their way."""
    return [item for item in instances if item.status not in GOING and any(same_node(one, item) for one in planned)]


def _healthy(item: InstanceReading, node: NodeReading | None) -> bool:
    return item.status == "Running" and node is not None and node.ready and node.health in WELL


def _launched(one: Candidate) -> float:
    return one.instance.launched_at.timestamp() if one.instance.launched_at else 0.0
