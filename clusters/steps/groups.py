"""Instance groups of a cluster that is there: added, made larger or smaller, deleted. Every call names only the group in question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clusters.configs.export import exported_group
from clusters.groups import autoscaling, change
from clusters.groups.choice import alive, still_there
from clusters.groups.network import GroupNetwork
from clusters.reading import failures
from clusters.reading.hyperpod import EventReading, GroupReading, HyperPodReading, InstanceReading
from clusters.reading.reader import ClusterReader
from clusters.sentences import listing
from clusters.steps import links
from clusters.steps.base import ClusterStep, Subject, WaitingStep, different, failed, pending, ready
from clusters.steps.hyperpod import cluster_fault, hopeless
from operations.step import Fault, Observation, Outcome, StepContext

ADDED_AT_ONCE, DELETED_AT_ONCE = 50, 50
MOVING = ("Creating", "Updating", "SystemUpdating", "RollingBack")
GIVE_UP_AFTER = 12
RETRIED = ("InvalidInstanceGroupStatus",)
"""Codes of a refusal that ends by itself."""
GONE_CODES = ("NodeIdNotFound",)


class GroupStep(ClusterStep):
    """A step on a cluster that must be there and at rest as a whole."""

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.hyperpod
        if found is None:
            return failed(hyperpod_missing(reader.name))
        if found.status == "Deleting":
            return failed(Fault("hyperpod_deleting", f"SageMaker deletes the HyperPod cluster {found.name}.", "Its groups go with it."))
        return self.look_at(reader, found, context)

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        raise NotImplementedError

    def at_rest(self, reader: ClusterReader, found: HyperPodReading) -> Observation | None:
        """What keeps UpdateCluster from being called, None when nothing does."""
        if found.status == "Failed":
            return failed(cluster_fault(reader, found), links.hyperpod(reader.region, reader.hyperpod_name))
        if found.status != "InService":
            return pending(
                f"The HyperPod cluster is {found.status}; it takes changes when it is InService",
                links.hyperpod(reader.region, reader.hyperpod_name),
            )
        return None

    def read_again(self, name: str) -> GroupReading:
        """The group as it is just before a call that sends it whole."""
        found = self.subject.reader().hyperpod
        group = found.group(name) if found is not None else None
        if group is None:
            raise RuntimeError("observe() saw the group")
        return group


class AddGroups(GroupStep):
    """UpdateCluster has no token: a group's name is what makes a second call harmless, and a group that is there is not sent again."""

    name = "add-groups"
    api = "sagemaker:UpdateCluster"
    typical_seconds = 30

    def __init__(self, subject: Subject, requests: Sequence[Mapping[str, Any]], networks: Sequence[GroupNetwork] = ()) -> None:
        super().__init__(subject)
        self.requests, self.networks = requests, networks
        names = ", ".join(one["InstanceGroupName"] for one in requests)
        self.title = f"Add {names} to {subject.name}"

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        there = {group.name: group for group in found.groups}
        wanted = [one["InstanceGroupName"] for one in self.requests]
        going = [name for name in wanted if name in there and there[name].status == "Deleting"]
        if going:
            return pending(f"HyperPod still deletes {', '.join(going)} of before")
        missing = [name for name in wanted if name not in there]
        if not missing:
            return ready(f"HyperPod has {', '.join(wanted)}")
        if (waits := self.at_rest(reader, found)) is not None:
            return waits
        if context.reply.get("accepted") and not found.continuous:
            return failed(rolled_back(reader, found, missing))
        return different(f"HyperPod has no {', '.join(missing)}", missing=missing)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        sent = [self._placed(one, context) for one in self.requests if one["InstanceGroupName"] in seen.facts["missing"]]
        reply = self.aws.write("sagemaker", "update_cluster", ClusterName=self.subject.hyperpod_name, InstanceGroups=sent)
        return Outcome(reply.request_id, f"Asked HyperPod for {', '.join(seen.facts['missing'])}", {"accepted": True})

    def _placed(self, request: Mapping[str, Any], context: StepContext) -> Mapping[str, Any]:
        """With the id of the subnet that was made for it."""
        made = {one.placeholder: context.facts[f"make-{one.part}"]["subnet"] for one in self.networks}
        where = request.get("OverrideVpcConfig")
        if not where:
            return request
        return {**request, "OverrideVpcConfig": {**where, "Subnets": [made.get(one, one) for one in where["Subnets"]]}}


class AddNodes(GroupStep):
    """More nodes, at most 50 a call; the client token makes a repeated call harmless. A target that grew otherwise is left alone."""

    name = "add-nodes"
    api = "sagemaker:BatchAddClusterNodes"
    typical_seconds = 5

    def __init__(self, subject: Subject, group: str, count: int) -> None:
        super().__init__(subject)
        self.group, self.count = group, count
        self.title = f"Ask for {count} nodes in {group}"

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        group = found.group(self.group)
        if group is None:
            return failed(group_gone(self.group, reader.name))
        if group.target_count >= self.count:
            return ready(f"{self.group} is to have {group.target_count} nodes", target=group.target_count)
        if classes := autoscaling.node_classes(reader, self.group):
            return failed(autoscaling.scaling_fault(self.group, classes))
        if group.status == "Deleting":
            return failed(group_gone(self.group, reader.name, "HyperPod deletes"))
        if found.status in MOVING or group.status in MOVING:
            return pending(f"{self.group} is {group.status or found.status}; it takes nodes when it is InService")
        refused = [one for one in context.reply.get("failed", ()) if one.get("ErrorCode") not in RETRIED]
        if refused or context.attempt > GIVE_UP_AFTER + self.count // ADDED_AT_ONCE:
            return failed(refusal(f"HyperPod adds no nodes to {self.group}", context.reply.get("failed", ()), "InstanceGroupName"))
        return different(
            f"{self.group} is to have {group.target_count} nodes, {self.count} are wanted", missing=self.count - group.target_count
        )

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        more = min(ADDED_AT_ONCE, seen.facts["missing"])
        reply = self.aws.write(
            "sagemaker",
            "batch_add_cluster_nodes",
            ClusterName=self.subject.hyperpod_name,
            ClientToken=context.token(self),
            NodesToAdd=[{"InstanceGroupName": self.group, "IncrementTargetCountBy": more}],
        )
        refused = reply.data.get("Failed") or []
        return Outcome(
            reply.request_id, f"Asked HyperPod for {more} nodes in {self.group}{_refused(refused)}", {"failed": refused} if refused else {}
        )


class DeleteNodes(GroupStep):
    """Chosen nodes, at most 50 a call, each lowering its group's target by one. A node that is gone already needs nothing."""

    name = "delete-nodes"
    api = "sagemaker:BatchDeleteClusterNodes"
    typical_seconds = 5

    def __init__(self, subject: Subject, nodes: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(subject)
        self.nodes = nodes
        self.title = f"Delete {len(nodes)} {'node' if len(nodes) == 1 else 'nodes'}"

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        there = still_there(self.nodes, reader.instances)
        if not there:
            return ready(f"{len(self.nodes)} chosen nodes are gone, or on their way")
        groups = {item.group_name for item in there}
        for name in sorted(groups):
            if classes := autoscaling.node_classes(reader, name):
                return failed(autoscaling.scaling_fault(name, classes))
        busy = [group for group in found.groups if group.name in groups and group.status in MOVING]
        if busy or found.status in MOVING:
            where = f"{busy[0].name} is {busy[0].status}" if busy else f"The HyperPod cluster is {found.status}"
            return pending(f"{where}; nodes can be deleted when it is InService")
        keys = {item.key for item in there} | {item.logical_id for item in there}
        refused = [one for one in context.reply.get("failed", ()) if _node_of(one) in keys and _code_of(one) not in GONE_CODES]
        if refused:
            done = len(self.nodes) - len(there)
            return failed(refusal(f"{done} of {len(self.nodes)} nodes were deleted; HyperPod refused the others", refused, "NodeId"))
        if context.attempt > GIVE_UP_AFTER + len(self.nodes) // DELETED_AT_ONCE:
            return failed(
                Fault("nodes_stay", f"HyperPod took the deletion and the nodes stay: {_keys(there)}.", "See the cluster's events.")
            )
        chosen = there[:DELETED_AT_ONCE]
        return different(
            f"{len(there)} nodes are to go: {_keys(there)}",
            instances=[item.instance_id for item in chosen if item.instance_id],
            logical=[item.logical_id for item in chosen if not item.instance_id],
        )

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        chosen: dict[str, list[str]] = {}
        if seen.facts["instances"]:
            chosen["NodeIds"] = seen.facts["instances"]
        if seen.facts["logical"]:
            chosen["NodeLogicalIds"] = seen.facts["logical"]
        reply = self.aws.write("sagemaker", "batch_delete_cluster_nodes", ClusterName=self.subject.hyperpod_name, **chosen)
        refused = [*(reply.data.get("Failed") or []), *(reply.data.get("FailedNodeLogicalIds") or [])]
        count = sum(len(ids) for ids in chosen.values()) - len(refused)
        return Outcome(
            reply.request_id, f"Asked HyperPod to delete {count} nodes{_refused(refused)}", {"failed": refused} if refused else {}
        )


class SetCount(GroupStep):
    """Without continuous provisioning a count is changed by UpdateCluster, which takes the whole group: as read just before."""

    name = "set-count"
    api = "sagemaker:UpdateCluster"
    typical_seconds = 30

    def __init__(self, subject: Subject, group: str, count: int) -> None:
        super().__init__(subject)
        self.group, self.count = group, count
        self.title = f"Set the count of {group} to {count}"

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        group = found.group(self.group)
        if group is None:
            return failed(group_gone(self.group, reader.name))
        if group.target_count == self.count and found.status != "RollingBack":
            return ready(f"{self.group} is to have {self.count} nodes")
        if (waits := self.at_rest(reader, found)) is not None:
            return waits
        if context.reply.get("accepted"):
            return failed(rolled_back(reader, found, [self.group]))
        return different(f"{self.group} is to have {group.target_count} nodes, {self.count} are wanted")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        group = self.read_again(self.group)
        sent = {**exported_group(group.raw), "InstanceCount": self.count}
        reply = self.aws.write("sagemaker", "update_cluster", ClusterName=self.subject.hyperpod_name, InstanceGroups=[sent])
        return Outcome(reply.request_id, f"Asked HyperPod for {self.count} nodes in {self.group}", {"accepted": True})


class ChangeGroup(GroupStep):
    """Fields of a group by UpdateCluster, which takes the whole group: as read just before, with what differs."""

    name = "change-group"
    api = "sagemaker:UpdateCluster"
    typical_seconds = 30

    def __init__(self, subject: Subject, group: str, wanted: Mapping[str, Any]) -> None:
        super().__init__(subject)
        self.group, self.wanted = group, wanted
        self.title = f"Change {group}"

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        group = found.group(self.group)
        if group is None:
            return failed(group_gone(self.group, reader.name))
        moving = found.status in MOVING or group.status in MOVING
        changes = change.differences(group, self.wanted)
        if not changes:
            return pending(f"{self.group} is {group.status}") if moving else ready(f"{self.group} is as asked")
        if (waits := self.at_rest(reader, found)) is not None:
            return waits
        if moving:
            return pending(f"{self.group} is {group.status}; it takes changes when it is InService")
        if context.reply.get("accepted"):
            return failed(rolled_back(reader, found, [self.group], context))
        return different(f"{self.group} differs in {', '.join(changes)}")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        group = self.read_again(self.group)
        sent = change.changed_request(group, self.wanted)
        reply = self.aws.write("sagemaker", "update_cluster", ClusterName=self.subject.hyperpod_name, InstanceGroups=[sent])
        return Outcome(reply.request_id, f"Asked HyperPod to change {self.group}", {"accepted": True})


class RemoveGroup(GroupStep):
    """The group and all its nodes, and the wait until it is gone."""

    name = "remove-group"
    api = "sagemaker:UpdateCluster"
    typical_seconds = 300

    def __init__(self, subject: Subject, group: str) -> None:
        super().__init__(subject)
        self.group = group
        self.title = f"Delete {group} and its nodes"

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        group = found.group(self.group)
        if group is None:
            return ready(f"{self.group} is gone")
        left = sum(1 for item in reader.instances if item.group_name == self.group)
        if group.status == "Deleting":
            return pending(f"HyperPod deletes {self.group}; {left} nodes are left", links.hyperpod(reader.region, reader.hyperpod_name))
        if (waits := self.at_rest(reader, found)) is not None:
            return waits
        if classes := autoscaling.node_classes(reader, self.group):
            return failed(autoscaling.deletion_fault(self.group, classes))
        if context.attempt > GIVE_UP_AFTER:
            return failed(Fault("group_stays", f"HyperPod took the deletion and {self.group} stays.", "See the cluster's events."))
        return different(f"{self.group} is there with {left} nodes", status=group.status, attempt=context.attempt)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("sagemaker", "update_cluster", ClusterName=self.subject.hyperpod_name, InstanceGroupsToDelete=[self.group])
        return Outcome(reply.request_id, f"Asked HyperPod to delete {self.group}")


class GroupsSettled(WaitingStep):
    """The read that shows the outcome: as many nodes as were asked for run and are Ready in Kubernetes, and no others."""

    name = "groups-settled"
    typical_seconds = 600

    def __init__(self, subject: Subject, counts: Mapping[str, int]) -> None:
        super().__init__(subject)
        self.counts = counts
        self.title = f"Wait for the nodes of {', '.join(counts)}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.hyperpod
        if found is None:
            return failed(hyperpod_missing(reader.name))
        link = links.hyperpod(reader.region, reader.hyperpod_name)
        waits, short = [], False
        for name, count in self.counts.items():
            group = found.group(name)
            if group is None or group.status == "Deleting":
                taken_back = bool(found.failure) and not found.continuous
                return failed(rolled_back(reader, found, [name], context) if taken_back else group_gone(name, reader.name), link)
            if group.status == "Failed" or (group.target_count != count and not _grew(group, count)):
                return failed(rolled_back(reader, found, [name], context), link)
            message, complete = group_sentence(reader, group)
            if not complete:
                waits.append(message)
                short = short or group.current_count < group.target_count
        if not waits:
            counts = ", ".join(f"{count} in {name}" for name, count in self.counts.items())
            return ready(f"As asked: {counts}", counts=dict(self.counts))
        message = "; ".join(waits)
        troubles = troubles_of(reader, context, self.counts) if short else []
        if not troubles:
            return pending(message, link)
        fault = hopeless(troubles)
        if fault is not None:
            return failed(Fault(fault.code, f"{message}. {fault.message}", fault.hint, fault.category), link)
        return pending(f"{message}. {failures.fault(troubles[0].description).message}", link)


def _grew(group: GroupReading, count: int) -> bool:
    """Whether somebody asked for more meanwhile: that is theirs, and this operation has what it wanted on the way."""
    return group.target_count > count


def group_sentence(reader: ClusterReader, group: GroupReading) -> tuple[str, bool]:
    """How many nodes the group has of those it is to have, and whether that is all and no more."""
    own = [item for item in reader.instances if item.group_name == group.name]
    ready_names = {node.name for node in reader.nodes if node.ready}
    joined = sum(1 for item in own if item.status == "Running" and item.kubernetes_name in ready_names)
    asked = group.target_count
    if len(own) > asked:
        going = len(own) - len(alive(own, group.name))
        return f"{group.name}: {len(own)} nodes are there, {asked} are to stay ({going} shut down)", False
    if joined >= asked and group.current_count >= asked:
        return f"{group.name}: {joined} of {asked}", True
    return f"{group.name}: asked for {asked}, got {group.current_count}; {joined} are Ready in Kubernetes", False


def troubles_of(reader: ClusterReader, context: StepContext, groups: Iterable[str]) -> list[EventReading]:
    """Error events of the groups since the operation began, newest first."""
    started = context.operation.started_at or context.operation.created_at
    return [event for event in failures.errors_of(reader.events) if event.at >= started and event.group_name in set(groups)]


def hyperpod_missing(cluster: str) -> Fault:
    return Fault("hyperpod_missing", f"AWS knows no HyperPod cluster {cluster} any more.", "Create the cluster first.")


def group_gone(group: str, cluster: str, how: str = "HyperPod no longer has") -> Fault:
    return Fault("group_gone", f"{how} the group {group} of {cluster}.", "List the groups; add it again if it is needed.")


def rolled_back(reader: ClusterReader, found: HyperPodReading, groups: Sequence[str], context: StepContext | None = None) -> Fault:
    """Why HyperPod took a change back."""
    names = ", ".join(groups)
    told = troubles_of(reader, context, groups) if context is not None else failures.errors_of(reader.events)
    reason = found.failure or (told[0].description if told else "")
    if not reason:
        return Fault(
            "counts_changed",
            f"Somebody else changed {names} meanwhile, or HyperPod took the change back.",
            "Look at the group, then plan again.",
        )
    return failures.fault(reason, prefix=f"HyperPod took back the change of {names}.")


def refusal(prefix: str, failed_items: Iterable[Mapping[str, Any]], member: str) -> Fault:
    """What a batch answered for each item that it refused."""
    items = list(failed_items)
    told = "; ".join(f"{_node_of(one) or one.get(member, '')}: {_code_of(one)} ({one.get('Message', '')})" for one in items[:5])
    more = f" and {len(items) - 5} more" if len(items) > 5 else ""
    code = _code_of(items[0]) if items else "refused"
    return Fault("batch_refused", f"{prefix}: {told or 'it did not say why'}{more}.", f"Put right what {code} says, then plan again.")


def _node_of(item: Mapping[str, Any]) -> str:
    return str(item.get("NodeId") or item.get("NodeLogicalId") or "")


def _code_of(item: Mapping[str, Any]) -> str:
    return str(item.get("Code") or item.get("ErrorCode") or "")


def _refused(refused: Sequence[Mapping[str, Any]]) -> str:
    return f"; {len(refused)} were refused ({_code_of(refused[0])})" if refused else ""


def _keys(items: Sequence[InstanceReading]) -> str:
    return listing([item.key for item in items])
