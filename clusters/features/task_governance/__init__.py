"""Task governance: Kueue with teams' quotas, borrowing and priorities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters.dependencies.entry import WorkloadName
from clusters.features.addon import AddonFeature
from clusters.features.entry import FeatureSeen
from clusters.features.users import objects
from clusters.reading.kubernetes import condition
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec


def _unfinished(item: Mapping[str, Any]) -> bool:
    return not condition(item, "Finished")


class TaskGovernance(AddonFeature):
    name = "task_governance"
    title = "Task governance"
    summary = "Quotas, lending and priorities of teams, by Kueue."
    addon = "amazon-sagemaker-hyperpod-taskgovernance"
    workloads = (WorkloadName("Deployment", "kueue-system", "kueue-controller-manager"),)

    def users(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> list[str]:
        return objects(reader, "kueue.x-k8s.io/v1beta1", "Workload", _unfinished)


FEATURE = TaskGovernance()
