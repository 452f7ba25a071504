"""Phase 5: the shared bucket as a bound claim that mounts."""

from __future__ import annotations

from clusters import names
from clusters.choices import PhaseName, Seen
from clusters.phases.probe import PhaseObservation, ResourceSeen
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from clusters.steps.storage import NAMESPACE, ApplyClaim, ApplyVolume, BucketThere, ClaimBound, ProbeMount
from operations.step import Fault, Step

NAME = PhaseName.STORAGE
TITLE = "Mount the shared storage"
TYPICAL_SECONDS = 60


def steps(subject: Subject) -> list[Step]:
    return [BucketThere(subject), ApplyVolume(subject), ApplyClaim(subject), ClaimBound(subject), ProbeMount(subject)]


def probe(reader: ClusterReader, claim: str) -> PhaseObservation:
    """Ready when the claim is bound."""
    if reader.eks is None:
        return PhaseObservation(Seen.ABSENT, "AWS knows no EKS cluster of this name")
    if reader.eks.status == "DELETING":
        return PhaseObservation(Seen.DELETING, "It goes with the EKS cluster")
    if reader.target is None:
        return PhaseObservation(Seen.ABSENT, "The EKS control plane has no endpoint yet")
    volume = reader.object("v1", "PersistentVolume", names.volume(claim))
    found = reader.object("v1", "PersistentVolumeClaim", claim, NAMESPACE)
    if found is None:
        if volume is None:
            return PhaseObservation(Seen.ABSENT, "There is no volume and no claim")
        return PhaseObservation(Seen.CHANGING, "There is a volume, but no claim")
    phase = (found.get("status") or {}).get("phase", "Pending")
    resources = (
        *([ResourceSeen("PersistentVolume", names.volume(claim), "", (volume.get("status") or {}).get("phase", ""))] if volume else []),
        ResourceSeen("PersistentVolumeClaim", f"{NAMESPACE}/{claim}", "", phase),
    )
    facts = {"claim": f"{NAMESPACE}/{claim}", "phase": phase}
    if found["metadata"].get("deletionTimestamp"):
        return PhaseObservation(Seen.DELETING, f"The claim {claim} is being deleted", facts, resources)
    if phase == "Bound":
        return PhaseObservation(Seen.READY, f"The claim {claim} is bound", facts, resources)
    if phase == "Lost":
        fault = Fault("claim_lost", f"The claim {claim} has lost its volume.", "Delete the claim, then retry the phase.")
        return PhaseObservation(Seen.FAILED, fault.message, facts, resources, (fault,))
    return PhaseObservation(Seen.CHANGING, f"The claim {claim} is {phase}", facts, resources)
