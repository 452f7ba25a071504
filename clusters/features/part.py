"""One thing outside that a feature consists of: a role, an add-on, a setting of the cluster, an object in Kubernetes.

A feature is a chain of parts. Each part is read, completed and removed by itself, under a name derived from the cluster's: so a
chain that a crash or another hand left half made is seen link by link, and taken on from there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clusters.choices import PartState
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from operations.plan import Change, FieldChange
from operations.step import Fault, Outcome, Step, StepContext


@dataclass(frozen=True)
class PartSeen:
    """A reading. fields: what the part is like now, JSON by the names that plans show.

    made_by: id of the operation of ours that made it, "" when it was another hand or when it does not say.
    waits_for_nodes: whether it is as it should be and only lacks nodes to run on. blocks: what must go first, each by one call
    of delete() (a policy that is still on a role).
    """

    state: PartState
    message: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    faults: tuple[Fault, ...] = ()
    made_by: str = ""
    waits_for_nodes: bool = False
    blocks: tuple[str, ...] = ()
    pods: int | None = None
    ready_pods: int | None = None

    @property
    def there(self) -> bool:
        return self.state is not PartState.ABSENT


ABSENT = PartSeen(PartState.ABSENT)


class Part(ABC):
    """key: unique within the feature, stable over releases (part of step names). resource_type: in AWS's or Kubernetes' words.

    create_api, delete_api: the external calls, as a step names them. typical_seconds: until it is ready. redone: whether a
    broken one is deleted and made anew, since what made it takes a failed one nowhere. signed: whether it tells which operation
    made it; of one that does not, a broken one that is seen after a step's own call counts as that step's.
    """

    key: str
    resource_type: str
    name: str
    create_api: str
    delete_api: str
    typical_seconds: int = 3
    call_seconds: float = 20.0
    redone: bool = False
    signed: bool = True

    @abstractmethod
    def read(self, reader: ClusterReader) -> PartSeen:
        """What is there now. CloudError or KubeError when it can't be read."""

    @abstractmethod
    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        """The fields as they should be; those that it does not name are left as they are."""

    def needed(self, reader: ClusterReader) -> bool:
        """Whether the feature needs it at all, as the world is: an add-on to which another hand gave a role needs none of ours."""
        return True

    def busy(self, reader: ClusterReader) -> str:
        """Why AWS would not take a change of it just now, "" when it would: a step waits for that instead of being refused."""
        return ""

    def refused(self, reader: ClusterReader) -> Fault | None:
        """Why it must not be made or changed as the world is by now, though the plan saw nothing against it."""
        return None

    @abstractmethod
    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        """Makes it, by one call under a derived name."""

    def update(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        """Brings the fields that differ in line, by one call (the step looks again, and calls again for what still differs)."""
        return self.create(subject, context, step)

    @abstractmethod
    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        """Takes it away, or the first of what `seen.blocks` names, by one call."""

    def differences(self, reader: ClusterReader, seen: PartSeen) -> tuple[FieldChange, ...]:
        """Field by field, before → after; () when nothing has to change."""
        wanted = self.wanted(reader)
        return tuple(
            FieldChange(field=name, before=seen.fields.get(name) if seen.there else None, after=value)
            for name, value in wanted.items()
            if not seen.there or seen.fields.get(name) != value
        )

    def change(self, reader: ClusterReader, seen: PartSeen) -> Change:
        """What making it would change."""
        if not seen.there and not self.needed(reader):
            return Change(resource_type=self.resource_type, name=self.name, action="none")
        fields = self.differences(reader, seen)
        if not seen.there or seen.state is PartState.REMOVING:
            return Change(resource_type=self.resource_type, name=self.name, action="create", fields=fields)
        redo = self.redone and seen.state is PartState.BROKEN
        return Change(resource_type=self.resource_type, name=self.name, action="update" if fields or redo else "none", fields=fields)

    def removal(self, seen: PartSeen) -> Change:
        """What taking it away would change."""
        gone = not seen.there or seen.state is PartState.REMOVING
        return Change(resource_type=self.resource_type, name=self.name, action="none" if gone else "delete")
