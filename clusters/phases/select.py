"""Phase 2: the cluster becomes the caller's preferred one, and its Kubernetes API answers to our token."""

from __future__ import annotations

from clusters.choices import PhaseName, Seen
from clusters.phases.probe import PhaseObservation
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from clusters.steps.select import REFUSED, FetchEndpoint, PreferCluster, ProveSignIn, refused
from instantstart.kube.errors import KubeError
from operations.step import Step

NAME = PhaseName.SELECT
TITLE = "Select the cluster"
TYPICAL_SECONDS = 10


def steps(subject: Subject) -> list[Step]:
    return [FetchEndpoint(subject), ProveSignIn(subject), PreferCluster(subject)]


def probe(reader: ClusterReader) -> PhaseObservation:
    """Ready when the Kubernetes API answers to our token."""
    eks = reader.eks
    if eks is None:
        return PhaseObservation(Seen.ABSENT, "AWS knows no EKS cluster of this name")
    if eks.status == "DELETING":
        return PhaseObservation(Seen.DELETING, "EKS deletes the control plane")
    if reader.target is None:
        return PhaseObservation(Seen.ABSENT, f"The EKS control plane is {eks.status}: it has no endpoint yet")
    facts = {"endpoint": eks.endpoint}
    try:
        version = reader.kube_version
    except KubeError as error:
        if error.code not in REFUSED:
            raise
        fault = refused(error)
        return PhaseObservation(Seen.FAILED, fault.message, facts, faults=(fault,))
    return PhaseObservation(Seen.READY, f"Kubernetes {version} answers to our token", {**facts, "version": version})
