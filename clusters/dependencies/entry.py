"""What every dependency can: be detected, planned, applied, verified and removed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from clusters.choices import DependencyKind, DependencyState
from clusters.reading.kubernetes import Workload
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from operations.plan import Change
from operations.step import Fault, Step


@dataclass(frozen=True)
class DependencySeen:
    """A reading. status: in the words of EKS or Helm. pods, ready_pods: over its workloads, None when they can't be told.

    healing: DEGRADED for nothing but missing replicas, which come by themselves once nodes are there.
    """

    state: DependencyState
    status: str = ""
    version: str = ""
    message: str = ""
    faults: tuple[Fault, ...] = ()
    pods: int | None = None
    ready_pods: int | None = None
    operation: str = ""
    healing: bool = False


class DependencyEntry(ABC):
    """One thing that a cluster needs inside. Nothing is remembered as "configured": `detect` reads the world each time."""

    name: str
    title: str
    kind: DependencyKind

    def wanted(self, spec: ResolvedSpec) -> bool:
        """Whether this cluster is to have it."""
        return True

    @abstractmethod
    def detect(self, reader: ClusterReader) -> DependencySeen:
        """What is there now. CloudError or KubeError when it can't be read."""

    @abstractmethod
    def plan(self, spec: ResolvedSpec, seen: DependencySeen) -> Change:
        """What applying it would change."""

    @abstractmethod
    def apply(self, subject: Subject) -> Step:
        """The step that asks for it; it does not wait for it."""

    @abstractmethod
    def remove(self, subject: Subject) -> Step:
        """The step that takes it away and waits until it is gone."""

    def verified(self, seen: DependencySeen) -> bool:
        """Whether it is there with its pods running."""
        return seen.state is DependencyState.ACTIVE


@dataclass(frozen=True)
class WorkloadName:
    """A workload as its maker names it."""

    kind: str
    namespace: str
    name: str


def judge(workloads: Iterable[Workload], missing: Iterable[WorkloadName], *, nodes: bool) -> tuple[DependencyState, str, int, int]:
    """What the pods of an installed dependency say: state, sentence, pods wanted, pods ready."""
    known = list(workloads)
    absent = list(missing)
    wanted, ready = sum(item.wanted for item in known), sum(min(item.ready, item.wanted) for item in known)
    if not nodes:
        return DependencyState.WAITS_FOR_NODES, "Installed, waits for nodes", wanted, ready
    if absent:
        first = absent[0]
        return DependencyState.STARTING, f"Installed; {first.kind} {first.namespace}/{first.name} is not there yet", wanted, ready
    lacking = next((item for item in known if item.ready < item.wanted), None)
    if lacking is not None:
        sentence = f"Installed; {lacking.kind} {lacking.namespace}/{lacking.name} has {lacking.ready} of {lacking.wanted} pods ready"
        return DependencyState.STARTING, sentence, wanted, ready
    return DependencyState.ACTIVE, f"Active, {ready} of {wanted} pods ready", wanted, ready
