"""Phase 4: the HyperPod cluster and its nodes."""

from __future__ import annotations

from datetime import timedelta

from clusters import lifecycle
from clusters.choices import DependencyState, PhaseName, Seen
from clusters.dependencies.entry import DependencyEntry
from clusters.groups import evidence
from clusters.groups.choice import WELL
from clusters.phases.probe import PhaseObservation, ResourceSeen
from clusters.reading import failures
from clusters.reading.hyperpod import GROUP_RESOURCE, NODE_RESOURCE
from clusters.reading.reader import ClusterReader
from clusters.sentences import listing
from clusters.steps.base import Subject
from clusters.steps.dependencies import DependenciesActive, broken, detect_all, waiting_sentence
from clusters.steps.hyperpod import CreateHyperPod, NodesReady, cluster_fault, nodes_sentence
from clusters.steps.lifecycle import UploadScript
from operations import clock
from operations.step import Fault, Step

NAME = PhaseName.HYPERPOD
TITLE = "Create the HyperPod cluster"
TYPICAL_SECONDS = 840
RECENT = timedelta(hours=1)
"""Errors older than this do not explain why nodes are missing now."""


def steps(subject: Subject) -> list[Step]:
    artefact = lifecycle.artefact()
    uploads = [UploadScript(subject, name, content, artefact.checksum) for name, content in artefact.files]
    return [*uploads, CreateHyperPod(subject), NodesReady(subject), DependenciesActive(subject)]


def probe(reader: ClusterReader, entries: tuple[DependencyEntry, ...]) -> PhaseObservation:
    """Ready when HyperPod is in service, every wanted node is Ready in Kubernetes and every dependency runs on them."""
    found = reader.hyperpod
    if found is None:
        return PhaseObservation(Seen.ABSENT, "AWS knows no HyperPod cluster of this name")
    resources = (
        ResourceSeen("AWS::SageMaker::Cluster", found.arn, found.name, found.status, found.failure),
        *(ResourceSeen(GROUP_RESOURCE, group.name, group.instance_type, group.status) for group in found.groups),
        *(ResourceSeen(NODE_RESOURCE, item.key, item.group_name, item.status, item.message) for item in reader.instances),
    )
    facts = {"status": found.status, "target_count": found.target_count}
    if found.status == "Deleting":
        return PhaseObservation(Seen.DELETING, "SageMaker deletes the HyperPod cluster", facts, resources)
    if found.status == "Failed":
        fault = cluster_fault(reader, found)
        return PhaseObservation(Seen.FAILED, fault.message, facts, resources, (fault,))
    if found.status == "Creating":
        return PhaseObservation(Seen.CHANGING, "The HyperPod cluster is Creating", facts, resources)
    message, complete = nodes_sentence(reader, found)
    if not complete:
        troubles = [event for event in failures.errors_of(reader.events) if event.at >= clock.now() - RECENT]
        faults = tuple(failures.fault(event.description) for event in troubles[:1])
        message = ". ".join([message, *(fault.message for fault in faults)])
        some = any(node.ready for node in reader.nodes)
        return PhaseObservation(Seen.DEGRADED if some and troubles else Seen.CHANGING, message, facts, resources, faults)
    running = [item for item in reader.instances if item.status == "Running"]
    condemned = [item.key for item in running if evidence.health(reader, item.instance_id) not in WELL]
    if condemned:
        told = Fault("nodes_not_well", f"{message}; not well, says health monitoring: {listing(condemned, 3)}.", "Look at the diagnosis.")
        return PhaseObservation(Seen.DEGRADED, told.message, facts, resources, (told,))
    seen = detect_all(reader, entries)
    fault_ = broken(seen)
    if fault_ is not None:
        return PhaseObservation(Seen.DEGRADED, fault_.message, facts, resources, (fault_,))
    fine = {DependencyState.ACTIVE} if found.target_count else {DependencyState.ACTIVE, DependencyState.WAITS_FOR_NODES}
    missing = [(entry, one) for entry, one in seen if one.state not in fine]
    if missing:
        return PhaseObservation(Seen.CHANGING, f"{message}. {waiting_sentence(missing)}", facts, resources)
    return PhaseObservation(Seen.READY, message, facts, resources)
