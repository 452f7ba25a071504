"""Single nodes: rebooted and replaced (neither can be repeated), deleted, cordoned and drained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from clusters.groups import evidence
from clusters.reading import failures
from clusters.reading.hyperpod import HyperPodReading
from clusters.reading.pods import PodReading
from clusters.reading.reader import ClusterReader
from clusters.steps import links
from clusters.steps.base import ClusterStep, Subject, WaitingStep, absent, different, failed, pending, ready
from clusters.steps.groups import GroupStep, refusal, troubles_of
from clusters.steps.storage import api
from operations import clock
from operations.step import Fault, Observation, Outcome, StepContext

EVIDENCE_SECONDS = 120.0
PATIENCE = timedelta(minutes=45)
NO_TRACE = {"ErrorCode": "NoTrace", "Message": "No answer came, and no trace of the call is seen."}
Planned = Mapping[str, Any]
"""A node as the plan saw it: instance_id, logical_id, boot_id, health, group, told."""


class RestartStep(GroupStep):
    """BatchReboot- and BatchReplaceClusterNodes know no token, and a second call would strike twice: it is sent once.

    Without its answer, traces of it decide (see clusters.groups.evidence); without any trace the outcome is unknown.
    """

    idempotent: ClassVar[bool] = False
    evidence_seconds: ClassVar[float] = EVIDENCE_SECONDS
    call: ClassVar[str]
    verb: ClassVar[str]
    typical_seconds = 5

    def __init__(self, subject: Subject, nodes: Sequence[Planned]) -> None:
        super().__init__(subject)
        self.nodes = nodes
        self.title = f"{self.verb} {', '.join(one['instance_id'] for one in nodes[:3])}{' …' if len(nodes) > 3 else ''}"

    def happened(self, reader: ClusterReader, planned: Planned, since: datetime) -> bool:
        raise NotImplementedError

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        if context.reply:
            return ready(f"HyperPod took {len(context.reply['accepted'])} of {len(self.nodes)}", **context.reply)
        if context.intent_at is not None:
            seen = [one["instance_id"] for one in self.nodes if self.happened(reader, one, context.intent_at)]
            if seen:
                refused = [{"NodeId": one["instance_id"], **NO_TRACE} for one in self.nodes if one["instance_id"] not in seen]
                return ready(f"The call had its effect on {', '.join(seen)}", accepted=seen, refused=refused)
        gone = [one["instance_id"] for one in self.nodes if evidence.instance(reader, one) is None]
        if gone and context.intent_at is None:
            return failed(Fault("node_gone", f"Gone since the plan: {', '.join(gone)}.", "Look at the nodes, then plan again."))
        return absent(f"{self.verb} is to be asked for")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        ids = [one["instance_id"] for one in self.nodes]
        reply = self.aws.write("sagemaker", self.call, ClusterName=self.subject.hyperpod_name, NodeIds=ids)
        refused = reply.data.get("Failed") or []
        accepted = [name for name in ids if name not in {one.get("NodeId") for one in refused}]
        note = f"; {len(refused)} were refused" if refused else ""
        return Outcome(
            reply.request_id, f"{self.verb}: HyperPod took {len(accepted)} of {len(ids)}{note}", {"accepted": accepted, "refused": refused}
        )


class RebootNodes(RestartStep):
    name = "reboot"
    verb = "Reboot"
    api = "sagemaker:BatchRebootClusterNodes"
    call = "batch_reboot_cluster_nodes"

    def happened(self, reader: ClusterReader, planned: Planned, since: datetime) -> bool:
        return evidence.rebooted(reader, planned, since)


class ReplaceNodes(RestartStep):
    name = "replace"
    verb = "Replace"
    api = "sagemaker:BatchReplaceClusterNodes"
    call = "batch_replace_cluster_nodes"

    def happened(self, reader: ClusterReader, planned: Planned, since: datetime) -> bool:
        return evidence.replaced(reader, planned, since)


class NodesBack(WaitingStep):
    """The read that shows the outcome: each node that HyperPod took has restarted, or has another instance, and is Ready."""

    typical_seconds = 240

    def __init__(self, subject: Subject, after: RestartStep) -> None:
        super().__init__(subject)
        self.after, self.nodes = after, after.nodes
        self.name = f"{after.name}-done"
        self.title = "Wait until the nodes are back"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        taken = context.facts.get(self.after.name, {})
        accepted, refused = list(taken.get("accepted", [one["instance_id"] for one in self.nodes])), list(taken.get("refused", ()))
        since = context.operation.started_at or context.operation.created_at
        link = links.hyperpod(reader.region, reader.hyperpod_name)
        waits = []
        for one in self.nodes:
            if one["instance_id"] in accepted and (why := self._missing(reader, one, since)):
                waits.append(f"{one['instance_id']} {why}")
        if waits:
            troubles = troubles_of(reader, context, {one["group"] for one in self.nodes})
            more = f". {failures.fault(troubles[0].description).message}" if troubles else ""
            message = f"{len(accepted) - len(waits)} of {len(accepted)} are back: {'; '.join(waits[:3])}{more}"
            if clock.now() - since > PATIENCE and not troubles:
                return failed(
                    Fault("node_not_back", f"{message}.", "Look at the node's events; replace it if it does not come back."), link
                )
            return pending(message, link)
        if refused:
            return failed(refusal(f"{len(accepted)} of {len(self.nodes)} are back; HyperPod refused the others", refused, "NodeId"), link)
        return ready(f"{len(accepted)} {'node is' if len(accepted) == 1 else 'nodes are'} back")

    def _missing(self, reader: ClusterReader, one: Planned, since: datetime) -> str:
        """What it still waits for, "" when it is back."""
        if isinstance(self.after, RebootNodes):
            item = evidence.instance(reader, one)
            if item is None:
                return ""  # replaced or deleted meanwhile: nothing to wait for
            if not evidence.rebooted(reader, one, since):
                return "has not begun to reboot"
            # HyperPod may say Running before Kubernetes has heard of the new start: Ready is the old one's until then.
            if one["boot_id"] and evidence.boot_id(reader, item.instance_id) == one["boot_id"]:
                return "has not restarted yet"
            return _not_up(reader, item.instance_id, item.status)
        if evidence.instance(reader, one) is not None:
            return "is not replaced yet"
        successor = next((item for item in reader.instances if one["logical_id"] and item.logical_id == one["logical_id"]), None)
        if successor is None:
            group = reader.hyperpod.group(one["group"]) if reader.hyperpod else None
            return "" if group is None or group.current_count >= group.target_count else "has no successor yet"
        if not successor.instance_id:
            return "waits for another instance"
        return _not_up(reader, successor.instance_id, successor.status)


def _not_up(reader: ClusterReader, instance_id: str, status: str) -> str:
    if status != "Running":
        return f"is {status}"
    node = evidence.node(reader, instance_id)
    return "" if node is not None and node.ready else "is not Ready in Kubernetes"


class NodesGone(WaitingStep):
    """Deleted nodes leave HyperPod's list."""

    name = "nodes-gone"
    title = "Wait until the nodes are gone"
    typical_seconds = 120

    def __init__(self, subject: Subject, nodes: Sequence[Planned]) -> None:
        super().__init__(subject)
        self.nodes = nodes

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        ids = {one["instance_id"] or one["logical_id"] for one in self.nodes}
        left = [item for item in reader.instances if item.key in ids or (item.logical_id in ids and item.logical_id)]
        if not left:
            return ready(f"{len(ids)} {'node is' if len(ids) == 1 else 'nodes are'} gone")
        return pending(f"{len(left)} nodes shut down", links.hyperpod(reader.region, reader.hyperpod_name))


class Cordon(ClusterStep):
    """spec.unschedulable of each node, one at a time."""

    name = "cordon"
    api = "kubernetes:patch"
    typical_seconds = 2

    def __init__(self, subject: Subject, nodes: Sequence[str], *, enabled: bool) -> None:
        super().__init__(subject)
        self.nodes, self.enabled = nodes, enabled
        self.title = "Let no new pods come" if enabled else "Let new pods come again"

    def nodes_now(self, reader: ClusterReader) -> Sequence[str]:
        return self.nodes

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        there = {node.name: node for node in reader.nodes}
        nodes = self.nodes_now(reader)
        missing = [name for name in nodes if name not in there]
        if missing:
            return failed(Fault("node_gone", f"Kubernetes has no node {', '.join(missing)}.", "Look at the nodes, then plan again."))
        wrong = [name for name in nodes if there[name].schedulable is self.enabled]
        if not wrong:
            return ready("No new pods come" if self.enabled else "New pods may come")
        return different(f"To be changed: {', '.join(wrong)}", node=wrong[0])

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        made = api(self.subject).patch("v1", "Node", seen.facts["node"], {"spec": {"unschedulable": True if self.enabled else None}})
        word = "Cordoned" if self.enabled else "Uncordoned"
        return Outcome(made["metadata"].get("resourceVersion", ""), f"{word} {seen.facts['node']}")


class Drain(ClusterStep):
    """Evicts what runs on the nodes, one pod a call; a disruption budget that allows none now is waited for, by name."""

    name = "drain"
    api = "kubernetes:evict"
    typical_seconds = 120

    def __init__(self, subject: Subject, nodes: Sequence[str]) -> None:
        super().__init__(subject)
        self.nodes = nodes
        self.title = "Evict what runs there"

    def nodes_now(self, reader: ClusterReader) -> Sequence[str]:
        return self.nodes

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        left = leaving(reader.pods, self.nodes_now(reader))
        if not left:
            return ready("Nothing is left to evict")
        waiting = [pod for pod in left if not pod.going]
        blocked = {
            pod.title: held for pod in waiting if (held := [one.title for one in reader.budgets if one.covers(pod) and not one.allowed])
        }
        free = [pod for pod in waiting if pod.title not in blocked]
        if free:
            return different(f"{len(left)} pods are to go", namespace=free[0].namespace, pod=free[0].name)
        if blocked:
            told = "; ".join(f"{title} is held by {', '.join(held)}" for title, held in blocked.items())
            return pending(f"{len(left)} pods are left. {told}, which allows no disruption now")
        return pending(f"{len(left)} pods end: {', '.join(dict.fromkeys(pod.title for pod in left))}")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        namespace, pod = seen.facts["namespace"], seen.facts["pod"]
        there = api(self.subject).evict(namespace, pod)
        return Outcome(message=f"Evicted {namespace}/{pod}" if there else f"{namespace}/{pod} was gone already")


class CordonGroup(Cordon):
    """All nodes of a group as it is now: HyperPod may have put others in the place of those that the plan saw."""

    def __init__(self, subject: Subject, group: str) -> None:
        super().__init__(subject, [], enabled=True)
        self.group = group
        self.title = f"Let no new pods come to {group}"

    def nodes_now(self, reader: ClusterReader) -> Sequence[str]:
        return _joined(reader, self.group)


class DrainGroup(Drain):
    """The same, drained."""

    def __init__(self, subject: Subject, group: str) -> None:
        super().__init__(subject, [])
        self.group = group
        self.title = f"Evict what runs in {group}"

    def nodes_now(self, reader: ClusterReader) -> Sequence[str]:
        return _joined(reader, self.group)


def _joined(reader: ClusterReader, group: str) -> list[str]:
    """The group's nodes that Kubernetes knows."""
    known = {node.name for node in reader.nodes}
    return [item.kubernetes_name for item in reader.instances if item.group_name == group and item.kubernetes_name in known]


def leaving(pods: Sequence[PodReading], nodes: Sequence[str]) -> list[PodReading]:
    """What a drain moves away: all but pods of DaemonSets, the kubelet's own, and those that have ended."""
    return [pod for pod in pods if pod.node in nodes and not pod.stays and not pod.ended]
