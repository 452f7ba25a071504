"""node_group.create, node_group.scale, node_group.delete: EKS node groups, each by EKS's own API and one group a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from accounts.principal import Principal
from clusters import names, rules
from clusters.actions.exclusive import ExclusiveAction
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster
from clusters.groups.work import idle_check, work_check
from clusters.node_groups import prices, role
from clusters.node_groups.checks import checks, growth, look
from clusters.node_groups.request import Place, changed, create_request, scaling, template_data
from clusters.node_groups.spec import Count, Most, NewNodeGroup, NodeGroupName
from clusters.reading.hyperpod import NODE_RESOURCE
from clusters.reading.kubernetes import NodeReading
from clusters.reading.node_groups import LABEL, NODE_GROUP_RESOURCE, TEMPLATE_RESOURCE, NodeGroupReading
from clusters.reading.pods import titles, work_on
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from clusters.steps.features import EnsurePart
from clusters.steps.node_groups import CreateNodeGroup, EnsureTemplate, NodesJoined, RemoveNodeGroup, RemoveTemplate, SetCounts
from instantstart.problem import Problem
from operations.action import Verification, register
from operations.choices import Risk, Severity
from operations.models import Operation
from operations.plan import Change, Check, FieldChange, Irreversible, Plan
from operations.step import Step

COUNTS = ("minimum", "maximum", "desired")
STEPS_OF = "node-group"


class NodeGroupInput(NameInput):
    node_group: NodeGroupName


class NodeGroupCreateInput(NodeGroupInput, NewNodeGroup):
    """A group with everything that can be chosen of it."""

    def asked(self) -> NewNodeGroup:
        return NewNodeGroup.model_validate(self.model_dump(include=set(NewNodeGroup.model_fields)))


class NodeGroupScaleInput(NodeGroupInput):
    """What is left out stays. disrupt: whether nodes go although something runs on them."""

    minimum: Count | None = None
    maximum: Most | None = None
    desired: Count | None = None
    disrupt: bool = False

    def given(self) -> dict[str, int | None]:
        return self.model_dump(include=set(COUNTS))


class NodeGroupDeleteInput(NodeGroupInput):
    """confirm: the group's name once more. disrupt: whether it goes although something runs on it."""

    confirm: str = ""
    disrupt: bool = False


OneGroup = TypeVar("OneGroup", bound=NodeGroupInput)


class NodeGroupAction(ExclusiveAction[OneGroup]):
    def subject(self, data: OneGroup) -> tuple[str, str]:
        return "node_group", f"{data.name}/{data.node_group}"

    def verify(self, operation: Operation) -> Verification:
        return Verification(path(operation), 'status is "ACTIVE"')


@register
class CreateNodeGroupAction(NodeGroupAction[NodeGroupCreateInput]):
    """The nodes' role where the cluster has none yet, the group's launch template, the group."""

    kind = "node_group.create"
    title = "Create an EKS node group"
    risk = Risk.COSTS
    Input = NodeGroupCreateInput
    typical_seconds = 240

    def plan(self, data: NodeGroupCreateInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        spec, asked = ResolvedSpec.model_validate(row.spec), data.asked()
        with readable():
            reader = ClusterReader.of(row)
            place = _place(reader, spec, asked)
            there = reader.node_groups
            found = next((one for one in there if one.name == data.node_group), None)
            looked = look(reader.aws, asked, place.subnets)
            place = replace(place, zones=looked.zones)
            rows = [*_existing(found, asked)] if found is not None else checks(reader.aws, asked, place, looked, len(there))
            parts = [role.role_part(spec), role.policy_part(spec)] if found is None else []
            made = [part.change(reader, part.read(reader)) for part in parts]
        efa = looked.efa if asked.efa else 0
        cost = prices.per_hour(asked.instance_types, asked.desired, asked.capacity, row.region)
        fields = () if found is not None else _fields(asked, place, efa)
        action: Any = "create" if found is None else "none" if _same(found, asked) else "update"
        return Plan(
            kind=self.kind,
            summary=f"Create the EKS node group {data.node_group} in {row.name}",
            changes=(
                *made,
                *(
                    (Change(resource_type=TEMPLATE_RESOURCE, name=names.launch_template(row.name, data.node_group), action="create"),)
                    if found is None
                    else ()
                ),
                Change(resource_type=NODE_GROUP_RESOURCE, name=f"{row.name}/{data.node_group}", action=action, fields=fields),
            ),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=_sum(row.cost_per_hour, cost),
            typical_seconds=self.typical_seconds,
            irreversible=(
                Irreversible(
                    what=f"The capacity mode of {data.node_group} ({asked.capacity}), its instance types, subnets and disks",
                    why="EKS can't change them for an existing node group.",
                ),
            ),
            basis={
                "groups": [claim(data.node_group)],
                "template": template_data(asked, place, efa),
                "request": create_request(asked, place, role.arn(spec)),
            },
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        row = cluster_row(operation)
        subject, basis, group = Subject.of(row, operation.pk.hex), operation.plan["basis"], operation.input["node_group"]
        return [
            EnsurePart(subject, STEPS_OF, role.role_part(subject.spec)),
            EnsurePart(subject, STEPS_OF, role.policy_part(subject.spec)),
            EnsureTemplate(subject, group, basis["template"]),
            CreateNodeGroup(subject, group, basis["request"]),
            NodesJoined(subject, group),
        ]


@register
class ScaleNodeGroup(NodeGroupAction[NodeGroupScaleInput]):
    """Minimum, maximum and desired, of which those that differ are sent."""

    kind = "node_group.scale"
    title = "Scale an EKS node group"
    risk = Risk.DISRUPTIVE
    Input = NodeGroupScaleInput
    typical_seconds = 180

    def risk_of(self, plan: Plan) -> Risk:
        """Down, it takes nodes with their disks."""
        return Risk.DESTRUCTIVE if plan.irreversible else self.risk

    def plan(self, data: NodeGroupScaleInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        with readable():
            reader = ClusterReader.of(row)
            found = known_node_group(reader, data.node_group)
            after = scaling(found.counts, data.given())
            sent = changed(found.counts, after)
            more = after["desired"] - found.counts["desired"]
            rows = [*rules.evaluate(rules.Facts(node_groups=(_facts(after),)))] if sent else []
            types = found.instance_types
            if more > 0:
                asked = NewNodeGroup(instance_types=types) if types else NewNodeGroup()
                looked = look(reader.aws, asked, found.raw.get("subnets") or ())
                rows += growth(reader.aws, types, found.capacity, more, looked, "desired") if types else ()
            elif more < 0:
                rows += _work(reader, members(reader, found.name), data.disrupt, "the nodes of which some go")
        before = prices.per_hour(types, found.counts["desired"], found.capacity, row.region)
        cost = prices.per_hour(types, after["desired"], found.capacity, row.region)
        return Plan(
            kind=self.kind,
            summary=f"Scale {found.name} of {row.name} from {found.counts['desired']} to {after['desired']} nodes",
            changes=(
                Change(
                    resource_type=NODE_GROUP_RESOURCE,
                    name=f"{row.name}/{found.name}",
                    action="update" if sent else "none",
                    fields=tuple(
                        FieldChange(field=one, before=found.counts[one], after=after[one])
                        for one in COUNTS
                        if found.counts[one] != after[one]
                    ),
                ),
            ),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=_sum(row.cost_per_hour, cost, before),
            typical_seconds=self.typical_seconds,
            irreversible=_lost(f"{-more} nodes of {found.name} and their disks") if more < 0 else (),
            basis={"groups": [claim(found.name)]},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = NodeGroupScaleInput.model_validate(operation.input)
        subject = Subject.of(cluster_row(operation), operation.pk.hex)
        return [SetCounts(subject, data.node_group, data.given()), NodesJoined(subject, data.node_group)]


@register
class DeleteNodeGroup(NodeGroupAction[NodeGroupDeleteInput]):
    """The group with its nodes, then its launch template. The nodes' role stays: other groups share it, and it goes with the cluster."""

    kind = "node_group.delete"
    title = "Delete an EKS node group"
    risk = Risk.DESTRUCTIVE
    Input = NodeGroupDeleteInput
    typical_seconds = 240

    def plan(self, data: NodeGroupDeleteInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        with readable():
            reader = ClusterReader.of(row)
            found = known_node_group(reader, data.node_group)
            own = members(reader, found.name)
            rows = [*_confirmed(data), *_work(reader, own, data.disrupt, "its nodes")]
        before = prices.per_hour(found.instance_types, found.counts["desired"], found.capacity, row.region)
        return Plan(
            kind=self.kind,
            summary=f"Delete the EKS node group {found.name} of {row.name} with its {len(own)} nodes",
            changes=(
                Change(resource_type=NODE_GROUP_RESOURCE, name=f"{row.name}/{found.name}", action="delete"),
                *(Change(resource_type=NODE_RESOURCE, name=node.name, action="delete") for node in own),
            ),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=_sum(row.cost_per_hour, 0.0, before),
            typical_seconds=self.typical_seconds,
            irreversible=_lost(f"The node group {found.name} with its {len(own)} nodes and their disks"),
            basis={"groups": [claim(found.name)], "nodes": sorted(node.name for node in own)},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        subject, group = Subject.of(cluster_row(operation), operation.pk.hex), operation.input["node_group"]
        return [RemoveNodeGroup(subject, group), RemoveTemplate(subject, group)]

    def verify(self, operation: Operation) -> Verification:
        return Verification(path(operation), "status is 404")


def path(operation: Operation) -> str:
    return f"/api/v1/clusters/{operation.input['name']}/node-groups/{operation.input['node_group']}/"


def claim(group: str) -> str:
    """By what operations on one group know of each other; HyperPod's groups may have the same names."""
    return f"EKS node group {group}"


def known_node_group(reader: ClusterReader, name: str) -> NodeGroupReading:
    """Problem 404 when EKS has no such group, 409 when it is being deleted."""
    found = reader.node_group(name)
    if found is None:
        raise Problem(
            404, "node_group_not_found", "Node group not found", f"{reader.eks_name} has no EKS node group {name}.", "List the node groups."
        )
    if found.status == "DELETING":
        raise Problem(409, "node_group_deleting", "Node group is being deleted", f"EKS deletes {name} already.", "Wait until it is gone.")
    return found


def members(reader: ClusterReader, group: str) -> list[NodeReading]:
    return [node for node in reader.nodes if node.labels.get(LABEL) == group]


def _place(reader: ClusterReader, spec: ResolvedSpec, asked: NewNodeGroup) -> Place:
    eks = reader.eks
    if eks is None or eks.status not in ("ACTIVE", "UPDATING"):
        state = "is not there" if eks is None else f"is {eks.status}"
        raise Problem(
            409, "control_plane_missing", "No EKS cluster", f"The EKS cluster {reader.eks_name} {state}.", "Retry the phase control_plane."
        )
    network = (reader.hyperpod.raw.get("VpcConfig") if reader.hyperpod is not None else None) or {}
    said = eks.raw.get("resourcesVpcConfig") or {}
    subnets = asked.subnets or network.get("Subnets") or said.get("subnetIds") or ()
    shared = network.get("SecurityGroupIds") or said.get("securityGroupIds") or ()
    return Place(tuple(subnets), (), tuple(dict.fromkeys(one for one in (eks.security_group_id, *shared) if one)))


def _fields(asked: NewNodeGroup, place: Place, efa: int) -> tuple[FieldChange, ...]:
    shown = {
        "instance_types": ", ".join(asked.instance_types),
        "minimum": asked.minimum,
        "maximum": asked.maximum,
        "desired": asked.desired,
        "capacity": str(asked.capacity),
        "subnets": ", ".join(place.subnets),
        "volume_gb": asked.volume_gb,
    }
    if asked.capacity_reservation:
        shown["capacity_reservation"] = asked.capacity_reservation
    if efa:
        shown["efa"] = efa
    return tuple(FieldChange(field=name, before=None, after=value) for name, value in shown.items())


def _same(found: NodeGroupReading, asked: NewNodeGroup) -> bool:
    types = found.instance_types or list(asked.instance_types)
    counts = {name: getattr(asked, name) for name in COUNTS}
    return (types, found.capacity, found.counts) == (list(asked.instance_types), str(asked.capacity), counts)


def _existing(found: NodeGroupReading, asked: NewNodeGroup) -> Iterator[Check]:
    failed = found.status in ("CREATE_FAILED", "DELETING")
    if failed or not _same(found, asked):
        yield Check(
            code="node_group_exists",
            severity=Severity.ERROR,
            title="Name",
            detail=f"EKS has a node group {found.name} already, which is {found.status}" + ("." if failed else " and is made otherwise."),
            fix="Delete it first." if failed else "Scale it, or choose another name.",
            field="node_group",
        )


def _facts(counts: Mapping[str, int]) -> rules.NodeGroupFacts:
    return rules.NodeGroupFacts(minimum=counts["minimum"], maximum=counts["maximum"], desired=counts["desired"])


def _work(reader: ClusterReader, nodes: list[NodeReading], disrupt: bool, where: str) -> Iterator[Check]:
    running = titles(work_on(reader.pods, [node.name for node in nodes]))
    if running:
        yield work_check(running, disrupt, f"On {where}", "It is evicted with the nodes")
    elif nodes:
        yield idle_check(where)


def _confirmed(data: NodeGroupDeleteInput) -> Iterator[Check]:
    if data.confirm != data.node_group:
        yield Check(
            code="confirmation_missing",
            severity=Severity.ERROR,
            title="Confirmation",
            detail="A deletion needs the node group's name typed once more.",
            fix=f'Send confirm: "{data.node_group}".',
            field="confirm",
        )


def _lost(what: str) -> tuple[Irreversible, ...]:
    return (Irreversible(what=what, why="Instances and volumes are destroyed; Spot and on-demand capacity may not come back."),)


def _sum(whole: float | None, after: float | None, before: float | None = 0.0) -> float | None:
    """What the cluster costs afterwards; None when a part is not known."""
    if whole is None or after is None or before is None:
        return None
    return round(whole + after - before, 4)
