"""The phases of a cluster: one file a phase, each with its steps and its probe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clusters.choices import PhaseName
from clusters.dependencies import wanted
from clusters.phases import control_plane, hyperpod, imported, select, storage
from clusters.phases import dependencies as dependencies_phase
from clusters.phases.probe import PhaseObservation
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from operations.step import Step


@dataclass(frozen=True)
class PhaseEntry:
    """steps: what makes the phase, in order. own_probe: the probe of a cluster that was made here."""

    name: PhaseName
    title: str
    typical_seconds: int
    steps: Callable[[Subject], Sequence[Step]]
    own_probe: Callable[[ClusterReader, ResolvedSpec], PhaseObservation]

    def probe(self, reader: ClusterReader, spec: ResolvedSpec) -> PhaseObservation:
        """What the world says of it, by reads only."""
        return (imported.PROBES[self.name] if spec.imported else self.own_probe)(reader, spec)


PHASES: tuple[PhaseEntry, ...] = (
    PhaseEntry(
        control_plane.NAME,
        control_plane.TITLE,
        control_plane.TYPICAL_SECONDS,
        control_plane.steps,
        lambda reader, spec: control_plane.probe(reader),
    ),
    PhaseEntry(select.NAME, select.TITLE, select.TYPICAL_SECONDS, select.steps, lambda reader, spec: select.probe(reader)),
    PhaseEntry(
        dependencies_phase.NAME,
        dependencies_phase.TITLE,
        dependencies_phase.TYPICAL_SECONDS,
        dependencies_phase.steps,
        lambda reader, spec: dependencies_phase.probe(reader, wanted(spec)),
    ),
    PhaseEntry(
        hyperpod.NAME,
        hyperpod.TITLE,
        hyperpod.TYPICAL_SECONDS,
        hyperpod.steps,
        lambda reader, spec: hyperpod.probe(reader, wanted(spec)),
    ),
    PhaseEntry(
        storage.NAME, storage.TITLE, storage.TYPICAL_SECONDS, storage.steps, lambda reader, spec: storage.probe(reader, spec.storage.claim)
    ),
)


def entry(name: str) -> PhaseEntry:
    """The phase of that name. KeyError when there is none."""
    return next(one for one in PHASES if one.name == name) if name in PhaseName.values else _missing(name)


def _missing(name: str) -> PhaseEntry:
    raise KeyError(name)


def following(name: str) -> tuple[PhaseEntry, ...]:
    """The phase and those after it."""
    return PHASES[PhaseName(name).position :]
