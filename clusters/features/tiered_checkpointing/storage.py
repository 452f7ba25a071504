"""HyperPod's own part of tiered checkpointing: TieredStorageConfig of the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters.choices import PartState
from clusters.features.part import ABSENT, Part, PartSeen
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from operations.step import Outcome, Step, StepContext

MODE, PERCENT = "Mode", "InstanceMemoryAllocationPercentage"


def config(reader: ClusterReader) -> Mapping[str, Any]:
    """TieredStorageConfig as SageMaker tells it; {} without a cluster, or where it was never set."""
    hyperpod = reader.hyperpod
    return (hyperpod.raw.get("TieredStorageConfig") or {}) if hyperpod is not None else {}


class TieredStoragePart(Part):
    """UpdateCluster with TieredStorageConfig and nothing else: what it leaves out stays as it is (reference/aws.md §1.2).

    percent: of the instances' memory; None: as AWS decides, or as it is.
    """

    key = "storage"
    resource_type = "TieredStorageConfig"
    create_api = "sagemaker:UpdateCluster"
    delete_api = "sagemaker:UpdateCluster"
    typical_seconds = 120

    def __init__(self, cluster: str, percent: int | None) -> None:
        self.name, self.percent = cluster, percent

    def read(self, reader: ClusterReader) -> PartSeen:
        found = config(reader)
        if found.get(MODE) != "Enable":
            return ABSENT
        return PartSeen(PartState.READY, fields={MODE: "Enable", PERCENT: found.get(PERCENT)})

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        return {MODE: "Enable"} if self.percent is None else {MODE: "Enable", PERCENT: self.percent}

    def busy(self, reader: ClusterReader) -> str:
        hyperpod = reader.hyperpod
        if hyperpod is None or hyperpod.status == "InService":
            return ""
        return f"The HyperPod cluster is {hyperpod.status}; it can be changed when that has ended"

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        return self._update(subject, dict(self.wanted(subject.reader())), "Asked HyperPod for tiered storage")

    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        return self._update(subject, {MODE: "Disable"}, "Asked HyperPod to take tiered storage off")

    @staticmethod
    def _update(subject: Subject, wanted: dict[str, Any], message: str) -> Outcome:
        reply = subject.reader().aws.write("sagemaker", "update_cluster", ClusterName=subject.hyperpod_name, TieredStorageConfig=wanted)
        return Outcome(reply.request_id, message)
