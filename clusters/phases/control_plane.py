"""Phase 1: the CloudFormation stack with network, roles, EKS control plane, log group and bucket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters.choices import PhaseName, Seen
from clusters.phases.probe import PhaseObservation, ResourceSeen
from clusters.reading.eks import EksReading
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from clusters.steps.stack import ClearFailedStack, CreateStack, progress, stack_fault
from operations.step import Fault, Step

NAME = PhaseName.CONTROL_PLANE
TITLE = "Create the control plane"
TYPICAL_SECONDS = 850


def steps(subject: Subject) -> list[Step]:
    return [ClearFailedStack(subject), CreateStack(subject)]


def probe(reader: ClusterReader) -> PhaseObservation:
    """Ready when the stack is complete and EKS says ACTIVE without health issues."""
    stack, eks = reader.stack, reader.eks
    if stack is None:
        if eks is None:
            return PhaseObservation(Seen.ABSENT, "AWS knows no stack and no EKS cluster of this name")
        fault = Fault(
            "stack_missing",
            f"The EKS cluster is {eks.status}, but its stack is gone.",
            "Delete the EKS cluster by hand, then the cluster here.",
        )
        return PhaseObservation(Seen.FAILED, fault.message, faults=(fault,))
    resources = tuple(
        ResourceSeen(item.resource_type, item.physical_id, item.logical_id, item.status, item.reason)
        for item in reader.stack_resources
        if item.status != "DELETE_COMPLETE" and item.physical_id
    )
    resources = (ResourceSeen("AWS::CloudFormation::Stack", stack.stack_id, stack.name, stack.status, stack.reason), *resources)
    facts = {
        "stack_id": stack.stack_id,
        "stack_status": stack.status,
        "outputs": dict(stack.outputs),
        "eks_status": eks.status if eks else "",
    }
    if stack.deleting:
        return PhaseObservation(Seen.DELETING, progress(reader.stack_resources), facts, resources)
    if stack.moving:
        return PhaseObservation(Seen.CHANGING, progress(reader.stack_resources), facts, resources)
    if not stack.complete:
        fault = stack_fault(reader, stack)
        return PhaseObservation(Seen.FAILED, fault.message, facts, resources, (fault,))
    if eks is None:
        fault = Fault(
            "eks_missing",
            "The stack is complete, but AWS knows no EKS cluster of this name.",
            "Delete the cluster here, then create it anew.",
        )
        return PhaseObservation(Seen.FAILED, fault.message, facts, resources, (fault,))
    return of_eks(reader, eks, facts, resources)


def of_eks(reader: ClusterReader, eks: EksReading, facts: Mapping[str, Any], resources: tuple[ResourceSeen, ...]) -> PhaseObservation:
    """What EKS itself says of the control plane."""
    if eks.status == "DELETING":
        return PhaseObservation(Seen.DELETING, "EKS deletes the control plane", facts, resources)
    if eks.status == "FAILED":
        return PhaseObservation(Seen.FAILED, "EKS says that the control plane has failed", facts, resources, _issues(reader))
    if eks.status not in ("ACTIVE", "UPDATING"):
        return PhaseObservation(Seen.CHANGING, f"The EKS control plane is {eks.status}", facts, resources)
    issues = _issues(reader)
    if issues:
        return PhaseObservation(Seen.DEGRADED, issues[0].message, facts, resources, issues)
    return PhaseObservation(Seen.READY, f"Kubernetes {eks.version} is {eks.status}", facts, resources)


def _issues(reader: ClusterReader) -> tuple[Fault, ...]:
    issues = reader.eks.issues if reader.eks else ()
    return tuple(Fault(issue.code, issue.message, "See the EKS cluster's health issues in the AWS console.") for issue in issues)
