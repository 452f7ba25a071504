"""group.replace: a group like one that is there, with what can't be changed changed; then that one drained and deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import Field, ValidationError

from accounts.principal import Principal
from clusters.actions.group import (
    AddInstanceGroups,
    DeleteGroup,
    GroupAction,
    GroupAddInput,
    GroupDeleteInput,
    GroupUpdateInput,
    adding,
    cost_after,
    known_group,
    known_hyperpod,
    removing,
    verify_count,
)
from clusters.actions.readable import readable
from clusters.actions.subject import cluster_row, known_cluster
from clusters.groups import change, network
from clusters.groups.spec import GroupName, NewGroup, ZoneName
from clusters.reading.hyperpod import GroupReading
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import read_stack
from clusters.steps.base import Subject
from clusters.steps.groups import GroupsSettled
from clusters.steps.nodes import CordonGroup, DrainGroup
from instantstart.problem import Problem
from operations.action import Verification, register
from operations.choices import Risk
from operations.models import Operation
from operations.plan import Change, Check, Plan
from operations.step import Step


class GroupReplaceInput(GroupUpdateInput):
    """The fields that are to be different, and new_name: "" for the group's own with "-2" behind it. count: as many as it has unless
    given. availability_zone, and subnet "shared" or "dedicated": as group.add has them. confirm: the name of the group that goes.
    disrupt: whether it goes although something runs on it."""

    new_name: GroupName | None = None
    count: Annotated[int, Field(ge=0, le=6758)] | None = None
    availability_zone: ZoneName = ""
    confirm: str = ""
    disrupt: bool = False


@register
class ReplaceGroup(GroupAction[GroupReplaceInput]):
    """In this order, so that what runs has somewhere to go: the new group's nodes are Ready before the old one's are drained."""

    kind = "group.replace"
    title = "Replace an instance group"
    risk = Risk.DESTRUCTIVE
    Input = GroupReplaceInput
    typical_seconds = 1140

    def plan(self, data: GroupReplaceInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        with readable():
            reader = ClusterReader.of(row)
            found = known_hyperpod(reader)
            group = known_group(found, data.group)
        fresh = successor(group, data)
        added = AddInstanceGroups().plan(GroupAddInput(name=data.name, groups=[fresh]), principal)
        going = GroupDeleteInput(name=data.name, group=data.group, confirm=data.confirm, disrupt=data.disrupt)
        deleted = DeleteGroup().plan(going, principal)
        with readable():
            # A subnet that the new group is in stays for it.
            stacks = [name for name in deleted.basis.get("stacks", ()) if not self._stays(reader, name, fresh)]
        kept = set(deleted.basis.get("stacks", ())) - set(stacks)
        basis = {
            **added.basis,
            "new": fresh.name,
            "groups": [fresh.name, data.group],
            "nodes": deleted.basis["nodes"],
            "count": fresh.count,
        }
        return Plan(
            kind=self.kind,
            summary=f"Add {fresh.name} to {row.name}, drain {data.group} and delete it",
            changes=(
                *added.changes,
                *(Change(resource_type="Node", name=one, action="update") for one in deleted.basis["nodes"]),
                *(one for one in deleted.changes if one.name not in kept),
            ),
            checks=tuple(_checks(added, deleted, fresh)),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=cost_after(
                row,
                [(fresh.instance_type, fresh.count, fresh.capacity), (group.instance_type, -group.current_count, group.capacity)],
            ),
            typical_seconds=self.typical_seconds,
            irreversible=(*added.irreversible, *deleted.irreversible),
            documents=added.documents,
            resumes=added.resumes,
            basis={**basis, **({"stacks": stacks} if stacks else {})},
        )

    @staticmethod
    def _stays(reader: ClusterReader, name: str, fresh: NewGroup) -> bool:
        stack = read_stack(reader.aws, name)
        return stack is not None and bool(fresh.subnet) and network.subnet_of(stack) == fresh.subnet

    def steps(self, operation: Operation) -> Iterable[Step]:
        subject, basis = Subject.of(cluster_row(operation), operation.pk.hex), operation.plan["basis"]
        old = operation.input["group"]
        yield from adding(subject, basis)
        yield GroupsSettled(subject, {basis["new"]: basis["count"]} if "new" in basis else {})
        yield CordonGroup(subject, old)
        yield DrainGroup(subject, old)
        yield from removing(subject, old, basis)

    def verify(self, operation: Operation) -> Verification:
        basis = operation.plan["basis"]
        return verify_count(operation.input["name"], basis.get("new", ""), basis.get("count", 0))


def successor(group: GroupReading, data: GroupReplaceInput) -> NewGroup:
    """The group that takes its place. Problem 422 where the fields don't go together."""
    wanted = {name: value for name, value in data.wanted().items() if name in change.GroupFields.model_fields}
    asked: dict[str, Any] = change.like(group, change.differences(group, wanted))
    if data.availability_zone:
        asked["availability_zone"] = data.availability_zone
        if data.subnet is None:
            asked.pop("subnet", None)
    asked["name"] = data.new_name or asked["name"]
    if data.count is not None:
        asked["count"] = data.count
    try:
        return NewGroup.model_validate(asked)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        detail = f"A group like {group.name} with these changes can't be: {where}{': ' if where else ''}{first['msg']}."
        raise Problem(422, "invalid_input", "Invalid input", detail, "Give the fields that go together.") from error


def _checks(added: Plan, deleted: Plan, fresh: NewGroup) -> Iterator[Check]:
    """Both plans', their fields in this one's words. The cluster is not left without nodes where the new group has some."""
    for one in added.checks:
        field = one.field.removeprefix("groups.0.").removeprefix("groups.0")
        yield one.model_copy(update={"field": "new_name" if field == "name" else field})
    yield from (one for one in deleted.checks if not (fresh.count and one.code == "no_node_left"))
