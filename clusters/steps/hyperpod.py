"""The HyperPod cluster: made, then waited for until its nodes are Ready in Kubernetes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from clusters import tags
from clusters.groups.request import group_request, own_lifecycle
from clusters.reading import failures
from clusters.reading.hyperpod import EventReading, HyperPodReading
from clusters.reading.reader import ClusterReader
from clusters.steps import links
from clusters.steps.base import ClusterStep, WaitingStep, absent, different, failed, pending, ready, stack_or_fault
from operations.step import Fault, Observation, Outcome, StepContext

ENDS_BADLY = ("Failed",)
PATIENCE: dict[str, timedelta] = {
    "insufficient_capacity": timedelta(hours=1),
    "instance_launch_failed": timedelta(minutes=30),
    "deep_health_check_failed": timedelta(hours=6),
    "unclassified": timedelta(minutes=30),
}
"""How long errors of a cause may go on before the operation says that it does not work; HyperPod itself goes on trying.
Causes that no waiting heals (a lifecycle script, a quota) count at once."""


class CreateHyperPod(ClusterStep):
    """CreateCluster has no client token: the name is what makes a second call harmless."""

    name = "hyperpod-cluster"
    title = "Create the HyperPod cluster"
    api = "sagemaker:CreateCluster"
    typical_seconds = 120

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.hyperpod
        if found is None:
            stack = stack_or_fault(reader)
            if isinstance(stack, Observation):
                return stack
            return absent("AWS knows no HyperPod cluster of this name")
        link = links.hyperpod(reader.region, reader.hyperpod_name)
        if found.status == "Deleting":
            return pending("SageMaker deletes what an earlier attempt left", link)
        if found.status in ENDS_BADLY:
            if self._made_by(reader, found) == self.subject.operation:
                return failed(cluster_fault(reader, found), link)
            return different("An earlier attempt left a failed HyperPod cluster", remove=True)
        if found.status != "InService":
            return pending(f"The HyperPod cluster is {found.status}", link)
        return ready("The HyperPod cluster is in service", arn=found.arn)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        aws = self.aws
        if seen.facts.get("remove"):
            reply = aws.write("sagemaker", "delete_cluster", ClusterName=self.subject.hyperpod_name)
            return Outcome(reply.request_id, "Asked SageMaker to delete the failed HyperPod cluster")
        reply = aws.write("sagemaker", "create_cluster", **self._request())
        return Outcome(reply.request_id, "Asked SageMaker for the HyperPod cluster")

    def _made_by(self, reader: ClusterReader, found: HyperPodReading) -> str:
        listed = reader.aws.pages("sagemaker", "list_tags", "Tags", ResourceArn=found.arn)
        return tags.as_dict(listed).get(tags.OPERATION, "")

    def _request(self) -> dict[str, Any]:
        stack = self.subject.reader().stack
        if stack is None:
            raise RuntimeError("observe() saw the stack")
        outputs, spec = stack.outputs, self.subject.spec
        return {
            "ClusterName": self.subject.hyperpod_name,
            "Orchestrator": {"Eks": {"ClusterArn": outputs["ClusterArn"]}},
            "InstanceGroups": [
                group_request(group, outputs["ExecutionRoleArn"], own_lifecycle(spec.bucket), spec.checks_of(group))
                for group in spec.all_groups
            ],
            "VpcConfig": {"SecurityGroupIds": [outputs["SecurityGroupId"]], "Subnets": [outputs["ComputeSubnetId"]]},
            "NodeRecovery": "Automatic",
            "NodeProvisioningMode": "Continuous",
            "Tags": tags.as_list(self.subject.tags()),
        }


class NodesReady(WaitingStep):
    """Every instance that is wanted runs, and is a Ready node of Kubernetes."""

    name = "hyperpod-nodes"
    title = "Wait until the nodes have joined Kubernetes"
    typical_seconds = 600

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.hyperpod
        if found is None:
            return failed(Fault("hyperpod_missing", "AWS knows no HyperPod cluster of this name.", "Retry the phase."))
        link = links.hyperpod(reader.region, reader.hyperpod_name)
        if found.status in ENDS_BADLY:
            return failed(cluster_fault(reader, found), link)
        message, complete = nodes_sentence(reader, found)
        if complete:
            return ready(message, nodes=[item.instance_id for item in reader.instances])
        started = context.operation.started_at or context.operation.created_at
        troubles = [event for event in failures.errors_of(reader.events) if event.at >= started]
        if not troubles:
            return pending(message, link)
        fault = hopeless(troubles)
        if fault is not None:
            return failed(fault, link)
        return pending(f"{message}. {failures.fault(troubles[0].description).message}", link)


def nodes_sentence(reader: ClusterReader, found: HyperPodReading) -> tuple[str, bool]:
    """How many of the wanted nodes are there, and whether that is all of them."""
    wanted = found.target_count
    ready_names = {node.name for node in reader.nodes if node.ready}
    running = [item for item in reader.instances if item.status == "Running"]
    joined = [item for item in running if item.kubernetes_name in ready_names]
    if len(joined) >= wanted and all(group.current_count >= group.target_count for group in found.groups):
        return f"{len(joined)} of {wanted} nodes are Ready in Kubernetes", True
    other = sorted({item.status for item in reader.instances if item.status != "Running"})
    also = f"; others are {', '.join(other)}" if other else ""
    return f"{len(running)} of {wanted} instances run, {len(joined)} nodes are Ready in Kubernetes{also}", False


def hopeless(troubles: list[EventReading]) -> Fault | None:
    """The fault that waiting does not heal, judged by the error events since the operation began; None while there is hope."""
    by_cause: dict[str, list[EventReading]] = {}
    for event in troubles:
        by_cause.setdefault(failures.cause_of(event.description).code, []).append(event)
    for code, events in by_cause.items():
        newest, oldest = max(event.at for event in events), min(event.at for event in events)
        if newest - oldest >= PATIENCE.get(code, timedelta(0)):
            times = f"It happened {len(events)} times since the operation began." if len(events) > 1 else ""
            return failures.fault(events[0].description, prefix=times)
    return None


def cluster_fault(reader: ClusterReader, found: HyperPodReading) -> Fault:
    """Why the HyperPod cluster failed, and what its rollback left."""
    troubles = failures.errors_of(reader.events)
    message = found.failure or (troubles[0].description if troubles else "SageMaker gave no reason.")
    left = [f"{item.instance_id or item.logical_id} ({item.status})" for item in reader.instances]
    remains = f" Left behind: the cluster {found.arn}" + (f", instances {', '.join(left)}" if left else "") + "."
    fault = failures.fault(message, prefix=f"The HyperPod cluster is {found.status}.")
    return Fault(fault.code, fault.message + remains, fault.hint, fault.category)
