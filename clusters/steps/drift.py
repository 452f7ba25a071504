"""Settings of a HyperPod cluster as a whole, put back by one UpdateCluster that names nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters.reading.hyperpod import HyperPodReading
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject, different, failed, ready
from clusters.steps.groups import GroupStep
from operations.step import Fault, Observation, Outcome, StepContext

MEMBERS: Mapping[str, str] = {"node_recovery": "NodeRecovery", "provisioning_mode": "NodeProvisioningMode"}
"""Our field: the member of DescribeCluster and UpdateCluster."""
OFF = "None"


class SetClusterField(GroupStep):
    """UpdateCluster has no token; the field itself tells whether the call is still needed."""

    name = "set-cluster-field"
    api = "sagemaker:UpdateCluster"
    typical_seconds = 30

    def __init__(self, subject: Subject, field: str, value: Any) -> None:
        super().__init__(subject)
        self.field, self.value = field, value
        self.title = f"Set {MEMBERS[field]} of {subject.name} to {value}"

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        now = found.raw.get(MEMBERS[self.field], OFF)
        if now == self.value:
            return ready(f"{MEMBERS[self.field]} is {now}")
        if (waits := self.at_rest(reader, found)) is not None:
            return waits
        if context.reply.get("accepted"):
            told = f"HyperPod took {MEMBERS[self.field]} {self.value} and shows {now}."
            return failed(Fault("field_stays", told, "Somebody may have changed it again: look at the drift, then plan again."))
        return different(f"{MEMBERS[self.field]} is {now}, {self.value} is wanted")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("sagemaker", "update_cluster", ClusterName=self.subject.hyperpod_name, **{MEMBERS[self.field]: self.value})
        return Outcome(reply.request_id, f"Asked HyperPod for {MEMBERS[self.field]} {self.value}", {"accepted": True})
