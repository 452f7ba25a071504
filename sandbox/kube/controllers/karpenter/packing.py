"""Which nodes the pods that wait need: on those that are there or coming first, then on as few and as small new ones as will do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.kube.controllers.karpenter import pods
from sandbox.kube.controllers.karpenter.amounts import Amounts, less, total, within
from sandbox.kube.controllers.karpenter.offerings import Offering
from sandbox.kube.protocol import Manifest


@dataclass
class Room:
    """A node, there or to come, and what is left of it. `name`: of the node or the claim, "" for a new one."""

    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]
    free: Amounts
    name: str = ""
    taken: list[Manifest] = field(default_factory=list)

    def take(self, pod: Manifest) -> bool:
        wanted = pods.requests(pod["spec"])
        if not within(wanted, self.free) or not pods.fits(pod["spec"], self.labels, self.taints):
            return False
        self.free = less(self.free, wanted)
        self.taken.append(pod)
        return True

    @property
    def wanted(self) -> Amounts:
        return total(pods.requests(pod["spec"]) for pod in self.taken)


def room_of(offering: Offering, daemons: Iterable[Mapping[str, Any]], name: str = "") -> Room:
    """A new node of the offering, less what its DaemonSets will take."""
    taken = total(pods.requests(spec) for spec in daemons if pods.fits(spec, offering.labels, offering.taints))
    return Room(offering.labels, offering.taints, less(offering.allocatable, taken), name)


Allowed = Callable[[Offering, list[Offering]], bool]
"""Whether a pool's limits let one more node be made, besides those that were just decided on."""


def pack(
    waiting: list[Manifest], rooms: list[Room], offered: list[list[Offering]], daemons: list[Mapping[str, Any]], allowed: Allowed
) -> list[tuple[Offering, Room]]:
    """The new nodes to ask for, each with its offering. `offered`: of each pool, in the order to try them.

    What goes to `rooms` is noted there.
    """
    new: list[tuple[Offering, Room]] = []
    for pod in sorted(waiting, key=_largest_first):
        if any(room.take(pod) for room in [*rooms, *(room for _, room in new)]):
            continue
        made = [offering for offering, _ in new]
        for choices in offered:
            found = _smallest(pod, [one for one in choices if allowed(one, made)], daemons)
            if found is not None:
                new.append(found)
                break
    return new


def _smallest(pod: Manifest, choices: list[Offering], daemons: list[Mapping[str, Any]]) -> tuple[Offering, Room] | None:
    for offering in sorted(choices, key=lambda one: (*one.size, one.key)):
        room = room_of(offering, daemons)
        if room.take(pod):
            return offering, room
    return None


def _largest_first(pod: Manifest) -> tuple[float, float, float, str]:
    wanted = pods.requests(pod["spec"])
    devices = wanted.get("nvidia.com/gpu", 0.0) + wanted.get("aws.amazon.com/neuron", 0.0)
    return -devices, -wanted.get("cpu", 0.0), -wanted.get("memory", 0.0), pod["metadata"]["name"]
