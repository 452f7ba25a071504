"""The contract of a managed feature: one folder each; detect, requires, conflicts, plan, apply, verify, remove.

To add one: a folder in clusters/features with `FEATURE`, and its name in clusters.features.FOLDERS.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from clusters import rules
from clusters.choices import FeatureState, PartState
from clusters.features.part import Part, PartSeen
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.spec import Input
from clusters.steps.base import Subject
from clusters.steps.features import EnsurePart, FeatureSettled, RemovePart
from operations.plan import Change, Check, Irreversible
from operations.step import Fault, Step

Chosen = Mapping[str, Any]
HALF_MADE, CHANGED_OUTSIDE = "half_made", "changed_outside"
UNFINISHED = frozenset({HALF_MADE, CHANGED_OUTSIDE})
"""Codes of what is also seen while an operation is at work on the parts, one after the other."""


class FeatureSettings(Input):
    """What can be chosen of a feature. Every field may be left out: then it stays as it is, or is the feature's default."""


@dataclass(frozen=True)
class PartReading:
    """One part as it was seen, for the page and the API."""

    key: str
    resource_type: str
    name: str
    seen: PartSeen


@dataclass(frozen=True)
class FeatureSeen:
    """A reading of the world; no memory, no wishes.

    settings: what can be chosen, as it is now. source: who keeps it ("EKS add-on", "Helm release" …), for people.
    healing: DEGRADED for what passes by itself. waits_for_nodes: all is as it should be and lacks nodes only.
    """

    state: FeatureState
    message: str = ""
    settings: Chosen = field(default_factory=dict)
    version: str = ""
    source: str = ""
    faults: tuple[Fault, ...] = ()
    parts: tuple[PartReading, ...] = ()
    healing: bool = False
    waits_for_nodes: bool = False

    @property
    def on(self) -> bool:
        """Whether anything of it is there that is not on its way out."""
        return self.state not in (FeatureState.ABSENT, FeatureState.REMOVING)


class Feature(ABC):
    """One managed feature. Instances hold no state; all reads go through the reader they are given.

    requires: features that must be on first. needs: EKS add-ons of the cluster's dependencies that must be installed.
    conflicts: features that can't be on at the same time. chosen_by: the flag of the cluster's spec that had it installed with
    the cluster, "" for none. needs_hyperpod: whether the HyperPod cluster must be in service.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str] = "EKS add-on"
    Settings: ClassVar[type[FeatureSettings]] = FeatureSettings
    requires: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()
    conflicts: ClassVar[tuple[str, ...]] = ()
    chosen_by: ClassVar[str] = ""
    needs_hyperpod: ClassVar[bool] = False

    # --- what it consists of ---

    def defaults(self, spec: ResolvedSpec) -> dict[str, Any]:
        """The settings where a person chose none; None where AWS decides."""
        return {name: info.default for name, info in self.Settings.model_fields.items()}

    @abstractmethod
    def parts(self, spec: ResolvedSpec, settings: Chosen) -> list[Part]:
        """Its parts, in the order to make them; they are removed backwards. No I/O."""

    def current(self, reader: ClusterReader, spec: ResolvedSpec) -> dict[str, Any]:
        """The settings as the world has them, the defaults where it says nothing."""
        return self.defaults(spec)

    # --- detect ---

    def detect(self, reader: ClusterReader, spec: ResolvedSpec) -> FeatureSeen:
        """What is there now. CloudError or KubeError when it can't be read: then nobody knows."""
        settings = self.current(reader, spec)
        found = [(part, part.read(reader)) for part in self.parts(spec, settings)]
        return self.judge(reader, settings, [(part, seen) for part, seen in found if seen.there or part.needed(reader)])

    def judge(self, reader: ClusterReader, settings: Chosen, found: list[tuple[Part, PartSeen]]) -> FeatureSeen:
        """The parts' states as one."""
        readings = tuple(PartReading(part.key, part.resource_type, part.name, seen) for part, seen in found)
        there = [one for one in readings if one.seen.there]
        version = next((one.seen.version for one in there if one.seen.version), "")
        common: dict[str, Any] = {"settings": dict(settings), "version": version, "source": self.source if there else "", "parts": readings}
        if not there:
            return FeatureSeen(FeatureState.ABSENT, settings=dict(settings), parts=readings)
        if going := _of(there, PartState.REMOVING):
            return FeatureSeen(FeatureState.REMOVING, going.seen.message or f"{going.name} is being removed", **common)
        if broken := _of(there, PartState.BROKEN):
            faults = tuple(fault for one in there for fault in one.seen.faults)
            return FeatureSeen(FeatureState.DEGRADED, broken.seen.message or f"{broken.name} is broken", faults=faults, **common)
        wrong = self._wrong(reader, found)
        if wrong is None and (coming := _of(there, PartState.MOVING)):
            return FeatureSeen(FeatureState.INSTALLING, coming.seen.message or f"{coming.name} is being made", **common)
        if wrong is not None:
            return FeatureSeen(FeatureState.DEGRADED, wrong.message, faults=(wrong,), **common)
        if waiting := next((one for one in there if one.seen.waits_for_nodes), None):
            return FeatureSeen(FeatureState.INSTALLING, waiting.seen.message, waits_for_nodes=True, **common)
        said = next((one.seen.message for one in reversed(there) if one.seen.message), "")
        return FeatureSeen(FeatureState.ACTIVE, said, **common)

    def _wrong(self, reader: ClusterReader, found: list[tuple[Part, PartSeen]]) -> Fault | None:
        """Why the chain does not hold: links that are missing, or that are not as their neighbours need them."""
        missing = [part for part, seen in found if not seen.there]
        if missing:
            left = ", ".join(f"{part.resource_type} {part.name}" for part, seen in found if seen.there)
            lacks = ", ".join(f"{part.resource_type} {part.name}" for part in missing)
            return Fault(
                HALF_MADE,
                f"{self.title} is half made: there is {left}, but no {lacks}.",
                "Turn it on to complete it, or off to remove what is left.",
            )
        for part, seen in found:
            fields = part.differences(reader, seen)
            if fields:
                names = ", ".join(change.field for change in fields)
                return Fault(
                    CHANGED_OUTSIDE,
                    f"{part.resource_type} {part.name} is not as {self.title} needs it: {names}.",
                    "Turn it on again to put it right; the plan shows each field.",
                )
        return None

    # --- plan ---

    def groups(self, settings: Chosen) -> list[str]:
        """Instance groups whose size or being it decides: nothing else changes them meanwhile."""
        return []

    def checks(self, reader: ClusterReader, spec: ResolvedSpec, settings: Chosen, seen: FeatureSeen) -> Iterator[Check]:
        """What speaks against turning it on with these settings, beyond `requires`, `needs` and `conflicts`."""
        return iter(())

    def removal_checks(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> Iterator[Check]:
        """What speaks against turning it off, beyond what needs it and who uses it."""
        return iter(())

    def rule_facts(self, facts: rules.Facts, settings: Chosen, reader: ClusterReader) -> rules.Facts:
        """The facts for the table of rules, with what turning it on brings about filled in (dataclasses.replace)."""
        return facts

    def users(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> list[str]:
        """What in the cluster uses it now ("HyperPodPyTorchJob default/llama"): it is not turned off under them."""
        return []

    def plan(self, reader: ClusterReader, spec: ResolvedSpec, settings: Chosen, seen: FeatureSeen) -> tuple[Change, ...]:
        """What turning it on, or changing its settings, would change; "none" for each part that is as it should be."""
        return tuple(part.change(reader, part.read(reader)) for part in self.parts(spec, settings))

    def plan_removal(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> tuple[Change, ...]:
        """What turning it off would change."""
        return tuple(part.removal(part.read(reader)) for part in reversed(self.parts(spec, seen.settings)))

    def irreversible(self, seen: FeatureSeen) -> tuple[Irreversible, ...]:
        """What turning it off can't give back."""
        return ()

    # --- apply, verify, remove ---

    def apply(self, subject: Subject, settings: Chosen) -> list[Step]:
        """The steps that bring it about."""
        return [EnsurePart(subject, self.name, part) for part in self.parts(subject.spec, settings)]

    def verify(self, subject: Subject, *, enabled: bool) -> Step:
        """The step that waits until it is seen to be as asked."""
        return FeatureSettled(subject, self, enabled=enabled)

    def remove(self, subject: Subject, settings: Chosen) -> list[Step]:
        """The steps that take it away whole."""
        return [RemovePart(subject, self.name, part) for part in reversed(self.parts(subject.spec, settings))]

    def farewell(self, subject: Subject) -> list[Step]:
        """What must be taken away when the whole cluster goes, because it would stay behind; after the nodes are gone."""
        roles = [part for part in self.parts(subject.spec, self.defaults(subject.spec)) if part.resource_type == "AWS::IAM::Role"]
        return [RemovePart(subject, self.name, part) for part in reversed(roles)]


def _of(readings: list[PartReading], state: PartState) -> PartReading | None:
    return next((one for one in readings if one.seen.state is state), None)
