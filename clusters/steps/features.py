"""Making, removing and waiting for the parts of managed features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusters.choices import FeatureState, PartState
from clusters.reading.reader import ClusterReader
from clusters.steps.base import ClusterStep, Subject, WaitingStep, absent, different, failed, pending, ready
from operations.step import Fault, Observation, Outcome, StepContext

if TYPE_CHECKING:
    from clusters.features.entry import Feature
    from clusters.features.part import Part, PartSeen


def step_name(feature: str, key: str) -> str:
    return f"{feature.replace('_', '-')}-{key}"


class EnsurePart(ClusterStep):
    """Makes the part, or brings the fields that differ in line; nothing is called where it is as it should be."""

    def __init__(self, subject: Subject, feature: str, part: Part) -> None:
        super().__init__(subject)
        self.part = part
        self.name = step_name(feature, part.key)
        self.title = f"Make {part.resource_type} {part.name}"
        self.api = part.create_api
        self.typical_seconds = part.typical_seconds
        self.apply_timeout = part.call_seconds

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        part = self.part
        seen = part.read(reader)
        if seen.state is PartState.ABSENT:
            if not part.needed(reader):
                return ready(f"{part.name} is not needed")
            if refusal := part.refused(reader):
                return failed(refusal)
            busy = part.busy(reader)
            return pending(busy) if busy else absent(f"{part.resource_type} {part.name} is not there")
        if seen.state is PartState.REMOVING:
            return pending(seen.message or f"{part.name} is being removed; it is made again after that")
        if seen.state is PartState.MOVING:
            return pending(seen.message or f"{part.name} is being made")
        if seen.state is PartState.BROKEN and part.redone:
            mine = seen.made_by == self.subject.operation if part.signed else True
            if mine and context.intent_at is not None:
                return failed(_fault(part, seen))
            return different(f"{part.name} is broken from an earlier attempt: {seen.message}", remove=True)
        fields = part.differences(reader, seen)
        if fields:
            if refusal := part.refused(reader):
                return failed(refusal)
            if busy := part.busy(reader):
                return pending(busy)
            names = ", ".join(change.field for change in fields)
            return different(f"{part.name} differs: {names}", fields={change.field: change.after for change in fields})
        return ready(seen.message or f"{part.name} is there", version=seen.version)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        part, reader = self.part, self.subject.reader()
        if seen.facts.get("remove"):
            return part.delete(self.subject, context, self, part.read(reader))
        if seen.facts.get("fields"):
            return part.update(self.subject, context, self, part.read(reader))
        return part.create(self.subject, context, self)


class RemovePart(ClusterStep):
    """Takes the part away and waits until it is gone; what stands in its way is taken first, one call at a time."""

    def __init__(self, subject: Subject, feature: str, part: Part) -> None:
        super().__init__(subject)
        self.part = part
        self.name = f"remove-{step_name(feature, part.key)}"
        self.title = f"Remove {part.resource_type} {part.name}"
        self.api = part.delete_api
        self.typical_seconds = part.typical_seconds
        self.apply_timeout = part.call_seconds

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        seen = self.part.read(reader)
        name = self.part.name
        if seen.state is PartState.ABSENT:
            return ready(f"{name} is gone")
        if seen.state in (PartState.REMOVING, PartState.MOVING):
            return pending(seen.message or f"{name} is {seen.state.label.lower()}")
        if busy := self.part.busy(reader):
            return pending(busy)
        facts: dict[str, Any] = {"blocks": list(seen.blocks)} if seen.blocks else {}
        return different(f"{name} is there", **facts)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        return self.part.delete(self.subject, context, self, self.part.read(self.subject.reader()))


class FeatureSettled(WaitingStep):
    """The read that shows the outcome: the feature is active (or waits for nodes alone), or it is gone."""

    typical_seconds = 60

    def __init__(self, subject: Subject, feature: Feature, *, enabled: bool) -> None:
        super().__init__(subject)
        self.feature, self.enabled = feature, enabled
        self.name = step_name(feature.name, "settled")
        self.title = f"Wait until {feature.title} is {'active' if enabled else 'gone'}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        seen = self.feature.detect(reader, self.subject.spec)
        if not self.enabled:
            if seen.state is FeatureState.ABSENT:
                return ready(f"{self.feature.title} is gone")
            return pending(seen.message or f"{self.feature.title} is {seen.state.label.lower()}")
        if seen.state is FeatureState.ACTIVE or seen.waits_for_nodes:
            return ready(seen.message or f"{self.feature.title} is active", settings=dict(seen.settings))
        if seen.state is FeatureState.DEGRADED and not seen.healing:
            fault = seen.faults[0] if seen.faults else Fault("feature_degraded", seen.message, "Try again.")
            return failed(fault)
        return pending(seen.message or f"{self.feature.title} is {seen.state.label.lower()}")


def _fault(part: Part, seen: PartSeen) -> Fault:
    return seen.faults[0] if seen.faults else Fault("part_broken", f"{part.name}: {seen.message}", "Try again.")
