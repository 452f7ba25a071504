"""HyperPod's own part of node autoscaling: AutoScaling and ClusterRole of the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters.choices import PartState
from clusters.features.part import ABSENT, Part, PartSeen
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from operations.step import Fault, Outcome, Step, StepContext

MODE, SCALER, ROLE = "Mode", "AutoScalerType", "ClusterRole"
KARPENTER = "Karpenter"


def config(reader: ClusterReader) -> Mapping[str, Any]:
    """AutoScaling as SageMaker tells it; {} without a cluster, or while it is off."""
    hyperpod = reader.hyperpod
    found = (hyperpod.raw.get("AutoScaling") or {}) if hyperpod is not None else {}
    return {} if found.get(MODE) != "Enable" and found.get("Status") != "Deleting" else found


def cluster_role(reader: ClusterReader) -> str:
    """ARN of the role that HyperPod scales under, "" while it does not."""
    hyperpod = reader.hyperpod
    return str(hyperpod.raw.get(ROLE, "")) if hyperpod is not None and config(reader) else ""


class AutoScalingPart(Part):
    """UpdateCluster with AutoScaling, the role beside it, and nothing else: what it leaves out stays (reference/aws.md §1.2)."""

    key = "scaling"
    resource_type = "AutoScaling"
    create_api = "sagemaker:UpdateCluster"
    delete_api = "sagemaker:UpdateCluster"
    typical_seconds = 120
    redone = True
    signed = False

    def __init__(self, cluster: str, role: str) -> None:
        self.name, self.role = cluster, role

    def read(self, reader: ClusterReader) -> PartSeen:
        found = config(reader)
        if not found:
            return ABSENT
        status = found.get("Status", "")
        if status == "Deleting":
            return PartSeen(PartState.REMOVING, "HyperPod takes its Karpenter away")
        fields = {MODE: "Enable", SCALER: found.get(SCALER), ROLE: cluster_role(reader)}
        if status == "Failed":
            message = found.get("FailureMessage") or "HyperPod gave no reason."
            hint = "Put that right, then turn node autoscaling on again: it is taken away first and made anew."
            fault = Fault("autoscaling_failed", f"HyperPod could not turn autoscaling on: {message}", hint)
            return PartSeen(PartState.BROKEN, fault.message, fields=fields, faults=(fault,))
        if status != "InService":
            return PartSeen(PartState.MOVING, f"HyperPod's autoscaling is {status}", fields=fields)
        return PartSeen(PartState.READY, fields=fields)

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        return {MODE: "Enable", SCALER: KARPENTER, ROLE: self.role}

    def busy(self, reader: ClusterReader) -> str:
        hyperpod = reader.hyperpod
        if hyperpod is None or hyperpod.status == "InService":
            return ""
        return f"The HyperPod cluster is {hyperpod.status}; it can be changed when that has ended"

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        wanted = {MODE: "Enable", SCALER: KARPENTER}
        reply = subject.reader().aws.write(
            "sagemaker", "update_cluster", ClusterName=subject.hyperpod_name, AutoScaling=wanted, ClusterRole=self.role
        )
        return Outcome(reply.request_id, "Asked HyperPod for its Karpenter")

    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        reply = subject.reader().aws.write("sagemaker", "update_cluster", ClusterName=subject.hyperpod_name, AutoScaling={MODE: "Disable"})
        return Outcome(reply.request_id, "Asked HyperPod to take its Karpenter away")
