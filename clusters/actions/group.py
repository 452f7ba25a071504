"""group.add, group.scale, group.delete: each reads the cluster and sends only the group in question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import Field, model_validator

from accounts.principal import Principal
from clusters import lifecycle
from clusters.actions.exclusive import ExclusiveAction
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster
from clusters.catalog.cost import instances
from clusters.groups import autoscaling, change, network, placing
from clusters.groups.checks import Wanted, checks
from clusters.groups.choice import Candidate, alive, candidates
from clusters.groups.existing import as_group, subnet_of
from clusters.groups.network import GroupNetwork
from clusters.groups.overlap import ranges_at_work
from clusters.groups.placing import Asked, Placing
from clusters.groups.request import home, new_group_request, resolved
from clusters.groups.spec import GroupName, NewGroup
from clusters.groups.work import idle_check, none_left, work_check
from clusters.models import Cluster
from clusters.reading.hyperpod import GROUP_RESOURCE, NODE_RESOURCE, GroupReading, HyperPodReading
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.spec import Capacity
from clusters.steps.base import Subject
from clusters.steps.group_network import ClearNetwork, MakeNetwork, RemoveNetworks
from clusters.steps.groups import AddGroups, AddNodes, ChangeGroup, DeleteNodes, GroupsSettled, RemoveGroup, SetCount
from clusters.steps.lifecycle import UploadScript
from instantstart.problem import Problem
from operations.action import Verification, register
from operations.choices import Risk, Severity
from operations.models import Operation
from operations.plan import Change, Check, FieldChange, Irreversible, Plan
from operations.step import Step

INSTEAD = "add-instead.json"
"""Document of a refused change: the input of group.add that brings about the same."""


class GroupAddInput(NameInput):
    groups: Annotated[list[NewGroup], Field(min_length=1, max_length=100)]

    @model_validator(mode="after")
    def _names_once(self) -> GroupAddInput:
        names = [group.name for group in self.groups]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"more than one group is called {', '.join(twice)}; give every group a name of its own")
        return self


class GroupInput(NameInput):
    group: GroupName


class GroupScaleInput(GroupInput):
    """count: how many nodes it is to have. disrupt: whether nodes go although something runs on them."""

    count: Annotated[int, Field(ge=0, le=6758)]
    disrupt: bool = False


class GroupUpdateInput(GroupInput, change.GroupFields):
    def wanted(self) -> dict[str, Any]:
        """The fields that were given."""
        given = self.model_dump(mode="json", include=set(change.GroupFields.model_fields))
        return {name: value for name, value in given.items() if value is not None}


class GroupDeleteInput(GroupInput):
    """confirm: the group's name once more. disrupt: whether it goes although something runs on it."""

    confirm: str = ""
    disrupt: bool = False


OneGroup = TypeVar("OneGroup", bound=GroupInput)


class GroupAction(ExclusiveAction[OneGroup]):
    """On one group that is there."""

    def subject(self, data: OneGroup) -> tuple[str, str]:
        return "group", f"{data.name}/{data.group}"


@register
class AddInstanceGroups(ExclusiveAction[GroupAddInput]):
    """One or several groups, of different types, in one UpdateCluster."""

    kind = "group.add"
    title = "Add instance groups"
    risk = Risk.COSTS
    Input = GroupAddInput
    typical_seconds = 660

    def subject(self, data: GroupAddInput) -> tuple[str, str]:
        return "group", f"{data.name}/{'+'.join(sorted(group.name for group in data.groups))}"[:200]

    def plan(self, data: GroupAddInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        spec = ResolvedSpec.model_validate(row.spec)
        with readable():
            reader = ClusterReader.of(row)
            found = known_hyperpod(reader)
            at = home(reader.stack, found, spec.bucket)
            if at is None:
                raise Problem(
                    409,
                    "no_execution_role",
                    "No execution role",
                    f"{row.name} was not made here and has no group whose role a new one could take.",
                    "Add the first group with the AWS command line.",
                )
            fresh = [
                Asked(f"groups.{index}", asked, resolved(asked))
                for index, asked in enumerate(data.groups)
                if found.group(asked.name) is None
            ]
            base = next(iter(at.subnets), "")
            places = Placing(reader, base, fresh, ranges_at_work(row.name)).places()
            wanted = [_wanted(one, subnet or base, spec) for one, subnet in zip(fresh, places.subnets, strict=True)]
            looked = checks(reader, spec, found, wanted, places.networks) if wanted else []
        requests = [
            new_group_request(one.group, asked.asked, at, one.deep_health_checks, subnet)
            for one, asked, subnet in zip(wanted, fresh, places.subnets, strict=True)
        ]
        rows = [*places.checks, *looked, *_own_checks(found, data)]
        names = ", ".join(asked.name for asked in data.groups)
        return Plan(
            kind=self.kind,
            summary=f"Add {names} to {row.name}",
            changes=(*placing.changes(places.networks), *_additions(row.name, data, requests)),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=cost_after(row, [(one.group.instance_type, one.group.count, one.group.capacity) for one in wanted]),
            typical_seconds=self.typical_seconds,
            irreversible=tuple(_lasting(wanted)),
            documents={f"{one.stack}.json": one.template().text() for one in places.networks},
            resumes=places.resumes,
            basis={
                "requests": requests,
                "groups": [one.group.name for one in wanted],
                "ours": at.ours,
                **({"networks": [one.as_json() for one in places.networks]} if places.networks else {}),
            },
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        subject = Subject.of(cluster_row(operation), operation.pk.hex)
        basis = operation.plan["basis"]
        yield from adding(subject, basis)
        yield GroupsSettled(subject, {one["InstanceGroupName"]: one["InstanceCount"] for one in basis["requests"]})

    def verify(self, operation: Operation) -> Verification:
        first = GroupAddInput.model_validate(operation.input).groups[0]
        return verify_count(operation.input["name"], first.name, first.count)


@register
class ScaleGroup(GroupAction[GroupScaleInput]):
    """With continuous provisioning nodes are added and chosen nodes deleted; else UpdateCluster sets the group's count."""

    kind = "group.scale"
    title = "Scale an instance group"
    risk = Risk.DISRUPTIVE
    Input = GroupScaleInput
    typical_seconds = 600

    def risk_of(self, plan: Plan) -> Risk:
        """Down, it takes nodes with their disks."""
        return Risk.DESTRUCTIVE if plan.irreversible else self.risk

    def plan(self, data: GroupScaleInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        spec = ResolvedSpec.model_validate(row.spec)
        with readable():
            reader = ClusterReader.of(row)
            found = known_hyperpod(reader)
            group = known_group(found, data.group)
            more = data.count - group.target_count
            rows = list(autoscaling.scaling_checks(reader, group.name, "count")) if more else []
            going: list[Candidate] = []
            if more > 0:
                rows += checks(reader, spec, found, [growth(found, group, more)])
            elif more < 0:
                going = candidates(alive(reader.instances, group.name), reader.nodes, reader.pods)[:-more]
                rows += [*_minimum(group, data.count), *_work(going, data.disrupt), *none_left(found, group, data.count)]
        way = "set" if not found.continuous else "add" if more > 0 else "delete"
        price = cost_after(row, [(group.instance_type, more, group.capacity)])
        return Plan(
            kind=self.kind,
            summary=f"Scale {group.name} of {row.name} from {group.target_count} to {data.count} nodes",
            changes=(_count_change(row.name, group, data.count), *(_node_change(one) for one in going if way == "delete")),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=price,
            typical_seconds=self.typical_seconds if more > 0 else 180,
            irreversible=_lost(f"{-more} nodes of {group.name} and their disks") if more < 0 else (),
            basis={
                "groups": [group.name],
                "nodes": [one.instance.key for one in going if way == "delete"],
                "going": [one.as_json() for one in going if way == "delete"],
                "from": group.target_count,
                "way": way,
            },
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = GroupScaleInput.model_validate(operation.input)
        subject = Subject.of(cluster_row(operation), operation.pk.hex)
        basis = operation.plan["basis"]
        if basis["way"] == "add":
            yield AddNodes(subject, data.group, data.count)
        elif basis["way"] == "delete":
            yield DeleteNodes(subject, basis["going"])
        else:
            yield SetCount(subject, data.group, data.count)
        yield GroupsSettled(subject, {data.group: data.count})

    def verify(self, operation: Operation) -> Verification:
        data = GroupScaleInput.model_validate(operation.input)
        return verify_count(data.name, data.group, data.count)


@register
class UpdateGroup(GroupAction[GroupUpdateInput]):
    """Fields of one group. What HyperPod never changes is refused here; the rest AWS decides, in its own words."""

    kind = "group.update"
    title = "Change an instance group"
    risk = Risk.DISRUPTIVE
    Input = GroupUpdateInput
    typical_seconds = 60

    def plan(self, data: GroupUpdateInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        with readable():
            reader = ClusterReader.of(row)
            group = known_group(known_hyperpod(reader), data.group)
            changes = change.differences(group, data.wanted())
            autoscaled = tuple(autoscaling.change_checks(reader, group, data.deep_health_checks or ())) if changes else ()
        refused = tuple(change.refusals(group, changes))
        return Plan(
            kind=self.kind,
            summary=f"Change {', '.join(changes) or 'nothing'} of {group.name} in {row.name}",
            changes=(
                Change(
                    resource_type=GROUP_RESOURCE,
                    name=f"{row.name}/{group.name}",
                    action="update" if changes else "none",
                    fields=tuple(changes.values()),
                ),
            ),
            checks=(*refused, *autoscaled),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=row.cost_per_hour,
            typical_seconds=self.typical_seconds,
            documents={INSTEAD: change.alternative(group, changes)} if refused else {},
            basis={"groups": [group.name]},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = GroupUpdateInput.model_validate(operation.input)
        return [ChangeGroup(Subject.of(cluster_row(operation), operation.pk.hex), data.group, data.wanted())]

    def verify(self, operation: Operation) -> Verification:
        data = GroupUpdateInput.model_validate(operation.input)
        return Verification(
            f"/api/v1/clusters/{data.name}/groups/{data.group}/", f"settings have {', '.join(sorted(data.wanted()))} as asked"
        )


@register
class DeleteGroup(GroupAction[GroupDeleteInput]):
    kind = "group.delete"
    title = "Delete an instance group"
    risk = Risk.DESTRUCTIVE
    Input = GroupDeleteInput
    typical_seconds = 300

    def plan(self, data: GroupDeleteInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        with readable():
            reader = ClusterReader.of(row)
            found = known_hyperpod(reader)
            networks = [one.name for one in network.of_group(reader, found, data.group)]
            if networks and found.group(data.group) is None:
                return self._remains(row, data, networks)
            group = known_group(found, data.group)
            own = [item for item in reader.instances if item.group_name == group.name]
            rows = [
                *_confirmed(data),
                *autoscaling.deletion_checks(reader, group.name),
                *_work(candidates(own, reader.nodes, reader.pods), data.disrupt),
                *none_left(found, group, 0),
            ]
        return Plan(
            kind=self.kind,
            summary=f"Delete {group.name} of {row.name} with its {len(own)} nodes",
            changes=(
                Change(resource_type=GROUP_RESOURCE, name=f"{row.name}/{group.name}", action="delete"),
                *(Change(resource_type=NODE_RESOURCE, name=item.key, action="delete") for item in own),
                *(Change(resource_type=placing.STACK_RESOURCE, name=name, action="delete") for name in networks),
            ),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=cost_after(row, [(group.instance_type, -group.current_count, group.capacity)]),
            typical_seconds=self.typical_seconds,
            irreversible=_lost(f"The group {group.name} with its {len(own)} nodes and their disks"),
            basis={"groups": [group.name], "nodes": [item.key for item in own], **({"stacks": networks} if networks else {})},
        )

    def _remains(self, row: Cluster, data: GroupDeleteInput, networks: list[str]) -> Plan:
        """What an addition that did not come to its end left of a group that is not there."""
        return Plan(
            kind=self.kind,
            summary=f"Delete what was made for {data.group} of {row.name}, which is not there",
            changes=tuple(Change(resource_type=placing.STACK_RESOURCE, name=name, action="delete") for name in networks),
            checks=tuple(_confirmed(data)),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=row.cost_per_hour,
            typical_seconds=60,
            basis={"groups": [data.group], "nodes": [], "stacks": networks},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = GroupDeleteInput.model_validate(operation.input)
        subject = Subject.of(cluster_row(operation), operation.pk.hex)
        return removing(subject, data.group, operation.plan["basis"])

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/clusters/{operation.input['name']}/groups/{operation.input['group']}/", "status is 404")


def adding(subject: Subject, basis: Mapping[str, Any]) -> Iterator[Step]:
    """The subnets that are made first, our lifecycle scripts, and the groups."""
    networks = [GroupNetwork(**one) for one in basis.get("networks") or ()]
    for one in networks:
        yield ClearNetwork(subject, one)
        yield MakeNetwork(subject, one)
    if basis["ours"]:
        artefact = lifecycle.artefact()
        yield from (UploadScript(subject, name, content, artefact.checksum) for name, content in artefact.files)
    yield AddGroups(subject, basis["requests"], networks)


def removing(subject: Subject, group: str, basis: Mapping[str, Any]) -> Iterator[Step]:
    """The group, then the subnets that nobody needs without it."""
    yield RemoveGroup(subject, group)
    if basis.get("stacks"):
        yield RemoveNetworks(subject, basis["stacks"])


def known_hyperpod(reader: ClusterReader) -> HyperPodReading:
    """Problem 409 when there is none, or it goes."""
    found = reader.hyperpod
    if found is None or found.status in ("Deleting", "Failed"):
        state = "There is no HyperPod cluster" if found is None else f"The HyperPod cluster is {found.status}"
        raise Problem(
            409, "hyperpod_missing", "No HyperPod cluster", f"{state} of the name {reader.name}.", "Retry the phase hyperpod first."
        )
    return found


def known_group(found: HyperPodReading, name: str) -> GroupReading:
    """Problem 404 when the cluster has no such group, 409 when it is being deleted."""
    group = found.group(name)
    if group is None:
        names = ", ".join(one.name for one in found.groups) or "none"
        raise Problem(404, "group_not_found", "Group not found", f"{found.name} has no instance group {name}.", f"Its groups: {names}.")
    if group.status == "Deleting":
        raise Problem(409, "group_deleting", "Group is being deleted", f"HyperPod deletes {name} already.", "Wait until it is gone.")
    return group


def verify_count(cluster: str, group: str, count: int) -> Verification:
    return Verification(f"/api/v1/clusters/{cluster}/groups/{group}/", f"current_count is {count}")


def growth(found: HyperPodReading, group: GroupReading, more: int) -> Wanted:
    """A group that grows, for the checks."""
    return Wanted(as_group(group, more), subnet_of(found, group), "", new=False, total=group.target_count + more)


def _wanted(one: Asked, subnet: str, spec: ResolvedSpec) -> Wanted:
    return Wanted(one.group, subnet, one.path, tuple(spec.checks_of(one.group)), one.asked)


def _additions(cluster: str, data: GroupAddInput, requests: Sequence[dict[str, Any]]) -> Iterator[Change]:
    by_name = {one["InstanceGroupName"]: one for one in requests}
    for asked in data.groups:
        request = by_name.get(asked.name)
        fields = tuple(FieldChange(field=name, after=value) for name, value in (request or {}).items() if name != "InstanceGroupName")
        yield Change(resource_type=GROUP_RESOURCE, name=f"{cluster}/{asked.name}", action="create" if request else "none", fields=fields)


def _own_checks(found: HyperPodReading, data: GroupAddInput) -> Iterator[Check]:
    for index, asked in enumerate(data.groups):
        group = found.group(asked.name)
        if group is None:
            continue
        there = (group.instance_type, group.capacity, group.target_count)
        if group.status == "Deleting":
            detail, fix = f"HyperPod deletes a group {asked.name} at the moment.", "Wait until it is gone, or choose another name."
        elif there != (", ".join(asked.instance_types), asked.capacity, asked.count):
            detail = f"{found.name} has a group {asked.name} already: {group.target_count} × {group.instance_type}, {group.capacity}."
            fix = "Scale that group, or choose another name."
        else:
            continue
        yield Check(code="group_exists", severity=Severity.ERROR, title="Name", detail=detail, fix=fix, field=f"groups.{index}.name")


def _lasting(wanted: Sequence[Wanted]) -> Iterator[Irreversible]:
    for one in wanted:
        yield Irreversible(
            what=f"The capacity mode of {one.group.name} ({one.group.capacity}), its instance type and its subnet",
            why="HyperPod can't change them for an existing group.",
        )


def _lost(what: str) -> tuple[Irreversible, ...]:
    return (Irreversible(what=what, why="Instances and volumes are destroyed; Spot and on-demand capacity may not come back."),)


def cost_after(row: Cluster, added: Iterable[tuple[str, int, Capacity | str]]) -> float | None:
    """What the cluster costs afterwards; None when a part is not known."""
    if row.cost_per_hour is None:
        return None
    total = row.cost_per_hour
    for kind, count, capacity in added:
        line = instances(kind, abs(count), capacity, row.region)
        if line.per_hour is None:
            return None
        total += line.per_hour if count > 0 else -line.per_hour
    return round(total, 4)


def _count_change(cluster: str, group: GroupReading, count: int) -> Change:
    same = group.target_count == count
    fields = () if same else (FieldChange(field="count", before=group.target_count, after=count),)
    return Change(resource_type=GROUP_RESOURCE, name=f"{cluster}/{group.name}", action="none" if same else "update", fields=fields)


def _node_change(one: Candidate) -> Change:
    return Change(
        resource_type=NODE_RESOURCE,
        name=one.instance.key,
        action="delete",
        fields=(FieldChange(field="chosen", before=one.reason, after=None),),
    )


def _minimum(group: GroupReading, count: int) -> Iterator[Check]:
    if group.min_count and count < group.min_count:
        yield Check(
            code="below_minimum",
            severity=Severity.WARNING,
            title="Minimum",
            detail=f"{group.name} has a minimum of {group.min_count} nodes, which goes down to {count} with its nodes.",
            fix="Keep it at its minimum if it must hold.",
            field="count",
        )


def _work(going: Sequence[Candidate], disrupt: bool) -> Iterator[Check]:
    """What runs on the nodes that go, by name: asked about, or known."""
    running = list(dict.fromkeys(title for one in going for title in one.work))
    if running:
        yield work_check(running, disrupt, "On the nodes that go", "It is evicted with the nodes")
    elif going:
        yield idle_check("the nodes that go")


def _confirmed(data: GroupDeleteInput) -> Iterator[Check]:
    if data.confirm != data.group:
        yield Check(
            code="confirmation_missing",
            severity=Severity.ERROR,
            title="Confirmation",
            detail="A deletion needs the group's name typed once more.",
            fix=f'Send confirm: "{data.group}".',
            field="confirm",
        )
