"""What is said of the phases of a cluster that was made elsewhere: what is there, and that the rest is not. Nothing "failed" to come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from clusters import dependencies
from clusters.choices import INSTALLED_STATES, DependencyState, PhaseName, Seen
from clusters.phases import control_plane, hyperpod, select, storage
from clusters.phases import dependencies as dependencies_phase
from clusters.phases.probe import PhaseObservation, ResourceSeen
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.sentences import listing
from clusters.steps.dependencies import detect_all

Probe = Callable[[ClusterReader, ResolvedSpec], PhaseObservation]
NO_EKS = "AWS knows no EKS cluster {} any more"
NO_HYPERPOD = "There is no HyperPod cluster on this EKS cluster"
NO_STORAGE = "No storage of InstantStart is mounted here"


def _control_plane(reader: ClusterReader, spec: ResolvedSpec) -> PhaseObservation:
    eks = reader.eks
    if eks is None:
        return PhaseObservation(Seen.ABSENT, NO_EKS.format(reader.eks_name))
    resources = (ResourceSeen("AWS::EKS::Cluster", eks.name, eks.arn, eks.status),)
    found = control_plane.of_eks(reader, eks, {"stack_id": "", "stack_status": "", "eks_status": eks.status}, resources)
    return (
        replace(found, message=f"{found.message}; made elsewhere, without a stack of InstantStart") if found.seen is Seen.READY else found
    )


def _select(reader: ClusterReader, spec: ResolvedSpec) -> PhaseObservation:
    """Whose access entry is missing has a cluster that works, which only we can't see into."""
    found = select.probe(reader)
    return replace(found, seen=Seen.DEGRADED) if found.seen is Seen.FAILED else found


def _dependencies(reader: ClusterReader, spec: ResolvedSpec) -> PhaseObservation:
    entries = dependencies.wanted(spec)
    if reader.eks is None or reader.target is None or reader.eks.status == "DELETING":
        return dependencies_phase.probe(reader, entries)
    seen = detect_all(reader, entries)
    there = [(entry, found) for entry, found in seen if found.state is not DependencyState.ABSENT]
    missing = [entry.name for entry, found in seen if found.state is DependencyState.ABSENT]
    if not there:
        return PhaseObservation(Seen.ABSENT, "None of what InstantStart would install is there")
    found = dependencies_phase.probe(reader, tuple(entry for entry, _ in there))
    facts = {**found.facts, **{name: {"state": str(DependencyState.ABSENT), "version": ""} for name in missing}}
    tail = f"; not there: {listing(missing, 9)}" if missing and all(one.state in INSTALLED_STATES for _, one in there) else ""
    return replace(found, facts=facts, message=f"{found.message}{tail}")


def _hyperpod(reader: ClusterReader, spec: ResolvedSpec) -> PhaseObservation:
    if not reader.hyperpod_name:
        return PhaseObservation(Seen.ABSENT, NO_HYPERPOD)
    if reader.hyperpod is None:
        return PhaseObservation(Seen.ABSENT, f"AWS knows no HyperPod cluster {reader.hyperpod_name} any more")
    return hyperpod.probe(reader, ())


def _storage(reader: ClusterReader, spec: ResolvedSpec) -> PhaseObservation:
    found = storage.probe(reader, spec.storage.claim)
    ours = any(item.resource_type == "PersistentVolume" for item in found.resources)
    return found if ours else PhaseObservation(Seen.ABSENT, NO_STORAGE)


PROBES: Mapping[PhaseName, Probe] = {
    PhaseName.CONTROL_PLANE: _control_plane,
    PhaseName.SELECT: _select,
    PhaseName.DEPENDENCIES: _dependencies,
    PhaseName.HYPERPOD: _hyperpod,
    PhaseName.STORAGE: _storage,
}
