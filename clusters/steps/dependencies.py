"""Waiting for dependencies: installed first, with their pods running once there are nodes."""

from __future__ import annotations

from collections.abc import Iterable

from clusters import dependencies
from clusters.choices import INSTALLED_STATES, DependencyState
from clusters.dependencies.entry import DependencyEntry, DependencySeen
from clusters.reading.reader import ClusterReader
from clusters.sentences import listing
from clusters.steps.base import WaitingStep, failed, pending, ready
from operations.step import Fault, Observation, StepContext

Seen = list[tuple[DependencyEntry, DependencySeen]]


class DependenciesInstalled(WaitingStep):
    """Every add-on ACTIVE, or DEGRADED for nothing but missing replicas while there is no Ready node."""

    name = "dependencies-installed"
    title = "Wait until every dependency is installed"
    typical_seconds = 180

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        seen = detect_all(reader, dependencies.wanted(self.subject.spec))
        fault = broken(seen)
        if fault is not None:
            return failed(fault)
        # Lacking replicas with nodes there (a retry) heals by itself; the phase hyperpod waits for that.
        missing = [(entry, found) for entry, found in seen if found.state not in INSTALLED_STATES and not found.healing]
        if missing:
            return pending(waiting_sentence(missing))
        waits = sum(1 for _, found in seen if found.state is DependencyState.WAITS_FOR_NODES)
        return ready(f"{len(seen)} dependencies are installed" + (f", {waits} wait for nodes" if waits else ""))


class DependenciesActive(WaitingStep):
    """Every dependency ACTIVE with its pods running; without nodes wanted, installed is all there can be."""

    name = "hyperpod-dependencies-active"
    title = "Wait until every dependency runs on the nodes"
    typical_seconds = 120

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        seen = detect_all(reader, dependencies.wanted(self.subject.spec))
        fault = broken(seen)
        if fault is not None:
            return failed(fault)
        hyperpod = reader.hyperpod
        without_nodes = hyperpod is not None and hyperpod.target_count == 0
        missing = [
            (entry, found)
            for entry, found in seen
            if not entry.verified(found) and not (without_nodes and found.state is DependencyState.WAITS_FOR_NODES)
        ]
        if missing:
            return pending(waiting_sentence(missing))
        return ready(f"{len(seen)} dependencies are active")


def detect_all(reader: ClusterReader, entries: Iterable[DependencyEntry]) -> Seen:
    return [(entry, entry.detect(reader)) for entry in entries]


def broken(seen: Seen) -> Fault | None:
    """The fault of the first dependency that will not come by itself."""
    for entry, found in seen:
        if found.state is DependencyState.FAILED or (found.state is DependencyState.DEGRADED and not found.healing):
            return found.faults[0] if found.faults else Fault("dependency_failed", f"{entry.name}: {found.message}", "Retry the phase.")
    return None


def waiting_sentence(missing: Seen) -> str:
    """What is waited for, by name."""
    return f"Waits for {listing([f'{entry.name} ({found.message or found.state.label.lower()})' for entry, found in missing], 3)}"
