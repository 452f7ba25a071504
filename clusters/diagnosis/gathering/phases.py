"""What the phases, add-ons, features and the stack say of themselves. From the observed rows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from clusters.choices import DependencyState, FeatureState, PhaseName
from clusters.choices import PartState as FeaturePartState
from clusters.diagnosis.evidence import Evidence, Level, Source, quoted
from clusters.diagnosis.gathering.part import Gathered, Part, PartState
from clusters.models import Cluster, ClusterFeature, Dependency, Phase, Resource

UNWELL = {DependencyState.FAILED: Level.ERROR, DependencyState.DEGRADED: Level.ERROR, DependencyState.STARTING: Level.INFO}


def gather(found: Gathered, row: Cluster, now: datetime) -> None:
    """Adds what was observed of the phases and of what is installed; what could not be read is told by phase."""
    phases = list(row.phases.all())
    for phase in phases:
        found.add(_part(phase, row, now), _faults(phase))
    rows = [one for dependency in row.dependencies.all() for one in _dependency(dependency)]
    features = list(row.features.all())
    rows += [one for feature in features for one in _feature(feature, now)]
    rows += [_resource(item) for item in row.resources.filter(status__endswith="FAILED")]
    found.evidence += rows
    unreadable = [feature.name for feature in features if feature.unreadable]
    if unreadable:
        found.add(Part("features", PartState.STALE, None, f"Could not be read: {', '.join(unreadable)}."))


def _part(phase: Phase, row: Cluster, now: datetime) -> Part:
    name = f"phase {phase.name}"
    if phase.unreadable:
        return Part(name, PartState.STALE if phase.observed_at else PartState.UNREADABLE, phase.observed_at, quoted(phase.unreadable))
    if phase.observed_at is None:
        return Part(name, PartState.UNREADABLE, None, "It has not been read yet.")
    return Part(name, PartState.STALE if row.stale(now) else PartState.READ, phase.observed_at)


def _faults(phase: Phase) -> list[Evidence]:
    """The faults of a phase; of one that can't be read, why: that is news of its own."""
    source = Source.STACK if phase.name == PhaseName.CONTROL_PLANE else Source.PHASE
    at = phase.observed_at or phase.changed_at
    rows = [
        Evidence(source, f"phase {phase.name}", _said(fault), at, seen=True, phase=phase.name) for fault in phase.faults if at is not None
    ]
    if phase.unreadable and phase.unreadable_since:
        rows.append(Evidence(Source.PHASE, f"phase {phase.name}", quoted(phase.unreadable), phase.unreadable_since, phase=phase.name))
    return rows


def _said(fault: dict[str, Any]) -> str:
    return quoted(f"{fault.get('code', '')}: {fault.get('message', '')}")


def _dependency(one: Dependency) -> list[Evidence]:
    subject, level = f"{one.kind} {one.name}", UNWELL.get(DependencyState(one.state))
    if level is None:
        return []
    texts = [_said(fault) for fault in one.faults] or [quoted(f"{one.state}: {one.message or one.status}")]
    return [Evidence(Source.ADDON, subject, text, one.observed_at, level, seen=True, phase=PhaseName.DEPENDENCIES) for text in texts]


def _feature(one: ClusterFeature, now: datetime) -> list[Evidence]:
    if one.state != FeatureState.DEGRADED:
        return []
    broken = [part for part in one.parts if part.get("state") == FeaturePartState.BROKEN]
    texts = [_said(fault) for fault in one.faults] or [quoted(f"{part.get('name', '')}: {part.get('message', '')}") for part in broken]
    at = one.observed_at or now
    return [Evidence(Source.FEATURE, f"feature {one.name}", text, at, seen=True) for text in texts or [quoted(one.message)]]


def _resource(item: Resource) -> Evidence:
    source = Source.STACK if item.phase == PhaseName.CONTROL_PLANE else Source.PHASE
    subject = f"{item.resource_type} {item.name or item.physical_id}"
    return Evidence(source, quoted(subject, 120), quoted(f"{item.status}: {item.message}"), item.observed_at, seen=True, phase=item.phase)
