"""Phase 3: EKS add-ons and Helm releases."""

from __future__ import annotations

from clusters import dependencies
from clusters.choices import INSTALLED_STATES, DependencyState, PhaseName, Seen
from clusters.dependencies.entry import DependencyEntry
from clusters.phases.probe import PhaseObservation, ResourceSeen
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from clusters.steps.dependencies import DependenciesInstalled, detect_all
from operations.step import Step

NAME = PhaseName.DEPENDENCIES
TITLE = "Install what HyperPod needs in Kubernetes"
TYPICAL_SECONDS = 240


def steps(subject: Subject) -> list[Step]:
    return [*(entry.apply(subject) for entry in dependencies.wanted(subject.spec)), DependenciesInstalled(subject)]


def probe(reader: ClusterReader, entries: tuple[DependencyEntry, ...]) -> PhaseObservation:
    """Ready when every wanted dependency is installed, pods or not."""
    if reader.eks is None:
        return PhaseObservation(Seen.ABSENT, "AWS knows no EKS cluster of this name")
    if reader.eks.status == "DELETING":
        return PhaseObservation(Seen.DELETING, "They go with the EKS cluster")
    if reader.target is None:
        return PhaseObservation(Seen.ABSENT, "The EKS control plane has no endpoint yet")
    seen = detect_all(reader, entries)
    states = [found.state for _, found in seen]
    resources = tuple(
        ResourceSeen("AWS::EKS::Addon" if entry.kind == "addon" else "Helm release", entry.name, entry.title, found.status, found.message)
        for entry, found in seen
        if found.state is not DependencyState.ABSENT
    )
    facts = {entry.name: {"state": str(found.state), "version": found.version} for entry, found in seen}
    faults = tuple(fault for _, found in seen for fault in found.faults)
    message = _sentence(states)
    if all(state is DependencyState.ABSENT for state in states):
        return PhaseObservation(Seen.ABSENT, "None is installed", facts)
    if DependencyState.FAILED in states:
        return PhaseObservation(Seen.FAILED, faults[0].message if faults else message, facts, resources, faults)
    if DependencyState.DEGRADED in states:
        return PhaseObservation(
            Seen.DEGRADED, next(found.message for _, found in seen if found.state is DependencyState.DEGRADED), facts, resources, faults
        )
    if all(state in INSTALLED_STATES for state in states):
        return PhaseObservation(Seen.READY, message, facts, resources)
    return PhaseObservation(Seen.CHANGING, message, facts, resources)


def _sentence(states: list[DependencyState]) -> str:
    counted = [f"{states.count(state)} {state.label.lower()}" for state in DependencyState if states.count(state)]
    return ", ".join(counted)
