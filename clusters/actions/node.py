"""node.reboot, node.replace, node.delete, node.cordon, node.drain: nodes by their instance ids, which alone identify them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import Field, StringConstraints

from accounts.principal import Principal
from clusters.actions.exclusive import ExclusiveAction
from clusters.actions.group import cost_after, known_hyperpod
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster
from clusters.groups import autoscaling, evidence
from clusters.groups.work import idle_check, work_check
from clusters.models import Cluster
from clusters.reading.hyperpod import GROUP_RESOURCE, NODE_RESOURCE, HyperPodReading, InstanceReading
from clusters.reading.pods import PodReading, titles, work_on
from clusters.reading.reader import ClusterReader
from clusters.sentences import SHOWN
from clusters.steps.base import Subject
from clusters.steps.groups import DeleteNodes
from clusters.steps.nodes import Cordon, Drain, NodesBack, NodesGone, RebootNodes, ReplaceNodes, RestartStep, leaving
from instantstart.problem import Problem
from operations.action import Verification, register
from operations.choices import Risk, Severity
from operations.models import Operation
from operations.plan import Change, Check, FieldChange, Irreversible, Plan
from operations.step import Step

KUBERNETES_NODE = "Node"
NodeKey = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,127}$")]


class NodesInput(NameInput):
    """nodes: instance ids. disrupt: whether to go on although something runs on them."""

    nodes: Annotated[list[NodeKey], Field(min_length=1, max_length=25)]
    disrupt: bool = False


class DeleteNodesInput(NameInput):
    nodes: Annotated[list[NodeKey], Field(min_length=1, max_length=99)]
    disrupt: bool = False


class CordonInput(NameInput):
    """enabled: whether no new pods come to the nodes."""

    nodes: Annotated[list[NodeKey], Field(min_length=1, max_length=100)]
    enabled: bool = True


class DrainInput(NameInput):
    nodes: Annotated[list[NodeKey], Field(min_length=1, max_length=100)]
    disrupt: bool = False


AnyInput = NodesInput | DeleteNodesInput | CordonInput | DrainInput
SomeNodes = TypeVar("SomeNodes", NodesInput, DeleteNodesInput, CordonInput, DrainInput)


class NodesAction(ExclusiveAction[SomeNodes]):
    """On nodes by their keys."""

    def subject(self, data: SomeNodes) -> tuple[str, str]:
        return "node", f"{data.name}/{'+'.join(sorted(set(data.nodes)))}"[:200]


def _opened(data: AnyInput, principal: Principal) -> tuple[Cluster, ClusterReader]:
    row = known_cluster(data.name, principal)
    return row, ClusterReader.of(row)


def chosen(reader: ClusterReader, keys: Iterable[str]) -> list[InstanceReading]:
    """The nodes of these keys. Problem 404 that names those that are not there."""
    by_key = {key: item for item in reader.instances for key in (item.instance_id, item.logical_id) if key}
    wanted = list(dict.fromkeys(keys))
    missing = [key for key in wanted if key not in by_key]
    if missing:
        raise Problem(
            404,
            "node_not_found",
            "Node not found",
            f"{reader.name} has no node {', '.join(missing)}; a node is known by its instance id, which changes when it is replaced.",
            "List the nodes to see their ids.",
        )
    return [by_key[key] for key in wanted]


def _planned(reader: ClusterReader, item: InstanceReading) -> dict[str, Any]:
    return {
        "instance_id": item.instance_id,
        "logical_id": item.logical_id,
        "group": item.group_name,
        "boot_id": evidence.boot_id(reader, item.instance_id),
        "health": evidence.health(reader, item.instance_id),
    }


def _work(reader: ClusterReader, items: Sequence[InstanceReading], disrupt: bool, what: str) -> Check:
    running = titles(work_on(reader.pods, [item.kubernetes_name for item in items]))
    return work_check(running, disrupt, "On these nodes", f"It {what}") if running else idle_check("these nodes")


def _statuses(items: Sequence[InstanceReading], allowed: Sequence[str], verb: str) -> Iterator[Check]:
    for index, item in enumerate(items):
        if not item.instance_id or item.status not in allowed:
            state = item.status if item.instance_id else f"{item.status} and has no instance yet"
            yield Check(
                code="node_status",
                severity=Severity.ERROR,
                title="Status",
                detail=f"{item.key} is {state}; HyperPod can't {verb} it.",
                fix="Wait, or leave it out.",
                field=f"nodes.{index}",
            )


class RestartAction(NodesAction[NodesInput]):
    """What reboot and replace share: one call, never sent again, and a wait until the nodes are back."""

    risk = Risk.DISRUPTIVE
    Input = NodesInput
    verb: str
    allowed: tuple[str, ...]
    step: type[RestartStep]
    trace: re.Pattern[str]
    effect: str
    until: str

    def plan(self, data: NodesInput, principal: Principal) -> Plan:
        row, reader = _opened(data, principal)
        with readable():
            known_hyperpod(reader)
            items = chosen(reader, data.nodes)
            rows = [*_statuses(items, self.allowed, self.verb), _work(reader, items, data.disrupt, self.effect)]
            planned = [{**_planned(reader, item), "told": evidence.last_told(reader, item.instance_id, self.trace)} for item in items]
        return Plan(
            kind=self.kind,
            summary=f"{self.verb.capitalize()} {', '.join(item.key for item in items[:3])}{' …' if len(items) > 3 else ''} of {row.name}",
            changes=tuple(self.change(item) for item in items),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=row.cost_per_hour,
            typical_seconds=self.typical_seconds,
            irreversible=self.irreversible(items),
            basis={"nodes": [item.key for item in items], "planned": planned},
        )

    def change(self, item: InstanceReading) -> Change:
        return Change(resource_type=NODE_RESOURCE, name=item.key, action="update", fields=(FieldChange(field=self.verb, after=True),))

    def irreversible(self, items: Sequence[InstanceReading]) -> tuple[Irreversible, ...]:
        return ()

    def steps(self, operation: Operation) -> Iterable[Step]:
        call = self.step(Subject.of(cluster_row(operation), operation.pk.hex), operation.plan["basis"]["planned"])
        return [call, NodesBack(call.subject, call)]

    def verify(self, operation: Operation) -> Verification:
        data = NodesInput.model_validate(operation.input)
        return Verification(f"/api/v1/clusters/{data.name}/nodes/{data.nodes[0]}/", self.until)


@register
class RebootNodesAction(RestartAction):
    kind = "node.reboot"
    title = "Reboot nodes"
    typical_seconds = 240
    verb = "reboot"
    allowed = ("Running", "Failure")
    step = RebootNodes
    trace = evidence.REBOOT
    effect = "is interrupted by the reboot"
    until = "boot_id has changed and ready is true"


@register
class ReplaceNodesAction(RestartAction):
    kind = "node.replace"
    title = "Replace nodes"
    risk = Risk.DESTRUCTIVE
    typical_seconds = 900
    verb = "replace"
    allowed = ("Running", "Failure", "DeepHealthCheckInProgress")
    step = ReplaceNodes
    trace = evidence.REPLACE
    effect = "ends with the nodes"
    until = "status is 404: another instance has taken its place"

    def irreversible(self, items: Sequence[InstanceReading]) -> tuple[Irreversible, ...]:
        names = ", ".join(item.key for item in items[:SHOWN])
        return (Irreversible(what=f"The disks of {names}", why="A replacement destroys the root and the further volumes of the instance."),)


@register
class DeleteNodesAction(NodesAction[DeleteNodesInput]):
    """Chosen nodes of groups, each lowering its group's target by one."""

    kind = "node.delete"
    title = "Delete nodes"
    risk = Risk.DESTRUCTIVE
    Input = DeleteNodesInput
    typical_seconds = 180

    def plan(self, data: DeleteNodesInput, principal: Principal) -> Plan:
        row, reader = _opened(data, principal)
        with readable():
            found = known_hyperpod(reader)
            items = chosen(reader, data.nodes)
            rows = [*_autoscaled(reader, items), _work(reader, items, data.disrupt, "ends with the nodes")]
            planned = [_planned(reader, item) for item in items]
        counts = _counts(found, items)
        return Plan(
            kind=self.kind,
            summary=f"Delete {len(items)} {'node' if len(items) == 1 else 'nodes'} of {row.name}",
            changes=(
                *(Change(resource_type=NODE_RESOURCE, name=item.key, action="delete") for item in items),
                *(
                    Change(
                        resource_type=GROUP_RESOURCE,
                        name=f"{row.name}/{name}",
                        action="update",
                        fields=(FieldChange(field="count", before=before, after=after),),
                    )
                    for name, (before, after) in counts.items()
                ),
            ),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=cost_after(row, [(item.instance_type, -1, _capacity(found, item)) for item in items]),
            typical_seconds=self.typical_seconds,
            irreversible=(Irreversible(what="These nodes and their disks", why="Instances and volumes are destroyed."),),
            basis={"groups": sorted(counts), "nodes": [item.key for item in items], "planned": planned},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        subject, planned = Subject.of(cluster_row(operation), operation.pk.hex), operation.plan["basis"]["planned"]
        return [DeleteNodes(subject, planned), NodesGone(subject, planned)]

    def verify(self, operation: Operation) -> Verification:
        data = DeleteNodesInput.model_validate(operation.input)
        return Verification(f"/api/v1/clusters/{data.name}/nodes/{data.nodes[0]}/", "status is 404")


@register
class CordonNodes(NodesAction[CordonInput]):
    kind = "node.cordon"
    title = "Cordon nodes"
    Input = CordonInput
    typical_seconds = 5

    def plan(self, data: CordonInput, principal: Principal) -> Plan:
        row, reader = _opened(data, principal)
        with readable():
            names = _kubernetes_names(reader, chosen(reader, data.nodes))
            there = {node.name: node for node in reader.nodes}
        return Plan(
            kind=self.kind,
            summary=f"{'Let no new pods come to' if data.enabled else 'Let new pods come to'} {', '.join(data.nodes[:3])} of {row.name}",
            changes=tuple(_cordon_change(name, there[name].schedulable, data.enabled) for name in names),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=row.cost_per_hour,
            typical_seconds=self.typical_seconds,
            basis={"nodes": list(data.nodes), "names": names},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        names, enabled = operation.plan["basis"]["names"], operation.input["enabled"]
        return [Cordon(Subject.of(cluster_row(operation), operation.pk.hex), names, enabled=enabled)]

    def verify(self, operation: Operation) -> Verification:
        data = CordonInput.model_validate(operation.input)
        return Verification(f"/api/v1/clusters/{data.name}/nodes/{data.nodes[0]}/", f"schedulable is {str(not data.enabled).lower()}")


@register
class DrainNodes(NodesAction[DrainInput]):
    """Cordons, then evicts. What goes and which disruption budgets hold it is in the plan."""

    kind = "node.drain"
    title = "Drain nodes"
    risk = Risk.DISRUPTIVE
    Input = DrainInput
    typical_seconds = 180

    def plan(self, data: DrainInput, principal: Principal) -> Plan:
        row, reader = _opened(data, principal)
        with readable():
            names = _kubernetes_names(reader, chosen(reader, data.nodes))
            there = {node.name: node for node in reader.nodes}
            pods = leaving(reader.pods, names)
            rows = list(_drain_checks(reader, pods, data.disrupt))
        return Plan(
            kind=self.kind,
            summary=f"Drain {', '.join(data.nodes[:3])} of {row.name}: {len(pods)} pods are evicted",
            changes=(
                *(_cordon_change(name, there[name].schedulable, True) for name in names),
                *(
                    Change(
                        resource_type="Pod",
                        name=f"{pod.namespace}/{pod.name}",
                        action="delete",
                        fields=(FieldChange(field="of", before=pod.title),),
                    )
                    for pod in pods
                ),
            ),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=row.cost_per_hour,
            typical_seconds=self.typical_seconds,
            irreversible=tuple(
                Irreversible(what=f"The local data of {pod.namespace}/{pod.name}", why="It is in a volume that goes with the pod.")
                for pod in pods
                if pod.empty_dir and pod.work
            ),
            basis={"nodes": list(data.nodes), "names": names},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        subject, names = Subject.of(cluster_row(operation), operation.pk.hex), operation.plan["basis"]["names"]
        return [Cordon(subject, names, enabled=True), Drain(subject, names)]

    def verify(self, operation: Operation) -> Verification:
        data = DrainInput.model_validate(operation.input)
        return Verification(f"/api/v1/clusters/{data.name}/nodes/{data.nodes[0]}/", "schedulable is false and work is empty")


def _kubernetes_names(reader: ClusterReader, items: Sequence[InstanceReading]) -> list[str]:
    known = {node.name for node in reader.nodes}
    missing = [item.key for item in items if item.kubernetes_name not in known]
    if missing:
        raise Problem(
            409,
            "node_not_joined",
            "Not in Kubernetes",
            f"Kubernetes does not know {', '.join(missing)} (yet).",
            "Wait until it has joined.",
        )
    return [item.kubernetes_name for item in items]


def _cordon_change(name: str, schedulable: bool, enabled: bool) -> Change:
    same = schedulable is not enabled
    fields = () if same else (FieldChange(field="unschedulable", before=not schedulable, after=enabled),)
    return Change(resource_type=KUBERNETES_NODE, name=name, action="none" if same else "update", fields=fields)


def _drain_checks(reader: ClusterReader, pods: Sequence[PodReading], disrupt: bool) -> Iterator[Check]:
    alone = [f"{pod.namespace}/{pod.name}" for pod in pods if not pod.owner_kind]
    if alone:
        yield Check(
            code="pods_not_made_again",
            severity=Severity.WARNING if disrupt else Severity.ERROR,
            title="Pods of their own",
            detail=f"Nothing makes these pods again elsewhere: {', '.join(alone[:SHOWN])}.",
            fix="They are lost." if disrupt else "Move them yourself, or send disrupt: true to lose them.",
            field="disrupt",
        )
    for budget in reader.budgets:
        held = titles(pod for pod in pods if budget.covers(pod))
        if held and not budget.allowed:
            yield Check(
                code="disruption_budget",
                severity=Severity.WARNING,
                title="Disruption budget",
                detail=f"{budget.title} allows no disruption now, so {', '.join(held[:SHOWN])} would stay and the drain wait.",
                fix="Let more of its pods become ready, or loosen the budget.",
            )


def _autoscaled(reader: ClusterReader, items: Sequence[InstanceReading]) -> Iterator[Check]:
    for name in sorted({item.group_name for item in items}):
        yield from autoscaling.scaling_checks(reader, name, "nodes")


def _counts(found: HyperPodReading, items: Sequence[InstanceReading]) -> dict[str, tuple[int, int]]:
    """Group → its target before and after."""
    counts: dict[str, tuple[int, int]] = {}
    for item in items:
        group = found.group(item.group_name)
        before, after = counts.get(item.group_name, (group.target_count, group.target_count) if group else (0, 0))
        counts[item.group_name] = (before, max(0, after - 1))
    return counts


def _capacity(found: HyperPodReading, item: InstanceReading) -> str:
    group = found.group(item.group_name)
    return str(group.capacity) if group else ""
