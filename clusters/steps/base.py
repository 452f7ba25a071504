"""What the steps of a cluster share: which cluster, for which operation, and one way to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clusters import names, tags
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import StackReading
from instantstart.cloud.aws import Aws
from operations.choices import StepState
from operations.step import Fault, Observation, Step, StepContext

if TYPE_CHECKING:
    from clusters.models import Cluster
    from clusters.resolved import ResolvedSpec


@dataclass(frozen=True)
class Subject:
    """The cluster that an operation works on. operation: the operation's id in hex, the value of our tags.

    name: ours, from which names of what we make are derived. eks_name, hyperpod_name: what AWS calls the clusters.
    """

    name: str
    region: str
    account: str
    operation: str
    spec: ResolvedSpec
    eks_name: str
    hyperpod_name: str

    @classmethod
    def of(cls, cluster: Cluster, operation_hex: str) -> Subject:
        from clusters.resolved import ResolvedSpec

        spec = ResolvedSpec.model_validate(cluster.spec)
        return cls(cluster.name, cluster.region, cluster.account, operation_hex, spec, cluster.eks, cluster.hyperpod)

    def reader(self) -> ClusterReader:
        """A fresh look: nothing of an earlier one is kept."""
        return ClusterReader(self.name, self.region, self.account, eks_name=self.eks_name, hyperpod_name=self.hyperpod_name)

    def tags(self) -> dict[str, str]:
        return tags.tags(self.name, self.operation, self.spec.model_dump(mode="json"), self.spec.tags)

    def labels(self) -> dict[str, str]:
        return tags.labels(self.name, self.operation)

    @property
    def stack_name(self) -> str:
        return names.stack(self.name)


class ClusterStep(Step):
    """A step about one cluster."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def observe(self, context: StepContext) -> Observation:
        return self.look(self.subject.reader(), context)

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        """observe() with a fresh reader."""
        raise NotImplementedError

    @property
    def aws(self) -> Aws:
        return self.subject.reader().aws


class WaitingStep(ClusterStep):
    """A step that only waits: nothing of ours moves, so a cancel may leave at once."""

    def cancel(self, context: StepContext) -> Observation:
        return Observation(StepState.READY, "Nothing of this step is under way")


def ready(message: str = "", **facts: object) -> Observation:
    return Observation(StepState.READY, message, facts)


def pending(message: str, link: str = "", **facts: object) -> Observation:
    return Observation(StepState.PENDING, message, facts, link=link)


def absent(message: str = "") -> Observation:
    return Observation(StepState.ABSENT, message)


def different(message: str, **facts: object) -> Observation:
    return Observation(StepState.DIFFERENT, message, facts)


def failed(fault: Fault, link: str = "", **facts: object) -> Observation:
    return Observation(StepState.FAILED, fault.message, facts, fault, link)


def stack_or_fault(reader: ClusterReader) -> StackReading | Observation:
    """The complete stack of the control plane, or the observation that says that a later phase can't go on without it."""
    stack = reader.stack
    if stack is not None and stack.complete:
        return stack
    state = "is not there" if stack is None else f"is {stack.status}"
    return failed(Fault("control_plane_missing", f"The stack {names.stack(reader.name)} {state}.", "Retry from the phase control_plane."))
