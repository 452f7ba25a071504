"""A look for drift that somebody asked for: reads outside, and rows of ours. Nothing is brought about."""

from __future__ import annotations

from clusters.choices import DriftState
from clusters.drift.look import compare, compare_stacks, find_authors
from clusters.models import Cluster, DriftLook
from clusters.steps.base import ready
from operations.choices import StepState
from operations.models import ObservedSource
from operations.step import Fault, Observation, Step, StepContext

OBSERVER = "cluster"
POLL_SECONDS = 2.0
GONE = Fault("cluster_not_found", "The cluster is not here any more.", "List the clusters.")


class _Look(Step):
    def __init__(self, cluster: str) -> None:
        self.cluster = cluster

    def observe(self, context: StepContext) -> Observation:
        row = Cluster.objects.filter(name=self.cluster).first()
        return Observation(StepState.FAILED, GONE.message, fault=GONE) if row is None else self.look(row, context)

    def look(self, row: Cluster, context: StepContext) -> Observation:
        raise NotImplementedError

    def cancel(self, context: StepContext) -> Observation:
        return Observation(StepState.READY, "Nothing of this step is under way")


class ReadCluster(_Look):
    """Until its observer, which was made due, has read it, or could not."""

    name = "read"
    title = "Read the cluster"
    typical_seconds = 15

    def look(self, row: Cluster, context: StepContext) -> Observation:
        asked = context.operation.created_at
        if row.observed_at is not None and row.observed_at > asked:
            return ready("The cluster was read")
        source = ObservedSource.objects.filter(kind=OBSERVER, key=row.name).first()
        if source is None or (source.failures and source.last_attempt_at is not None and source.last_attempt_at > asked):
            return ready(f"The cluster could not be read: {row.unreadable or 'nobody looks at it any more.'}")
        return Observation(StepState.PENDING, "Waits for the look at the cluster", poll_seconds=POLL_SECONDS)


class CompareWithDesired(_Look):
    name = "compare"
    title = "Compare it with what it is meant to be"
    typical_seconds = 2

    def look(self, row: Cluster, context: StepContext) -> Observation:
        compare(row)
        skipped = DriftLook.objects.get(cluster=row).skipped
        return ready(f"It could not be compared. {skipped}" if skipped else _said(row))


class CompareStack(_Look):
    """Until CloudFormation has compared the cluster's stacks with their templates; then who did what is new."""

    name = "stack"
    title = "Have CloudFormation compare the stacks"
    typical_seconds = 45

    def look(self, row: Cluster, context: StepContext) -> Observation:
        if not compare_stacks(row, asked_at=context.operation.created_at):
            return Observation(StepState.PENDING, "CloudFormation compares the stacks", poll_seconds=POLL_SECONDS)
        find_authors(row)
        return ready(_said(row))


def _said(row: Cluster) -> str:
    count = row.drifts.filter(state=DriftState.OPEN).count()
    return "Everything is as it was left" if not count else f"{count} {'field differs' if count == 1 else 'fields differ'}"
