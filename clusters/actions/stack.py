"""stack.compare, stack.update, stack.discard: a stack brought to what this release would make, by a change set that is looked at first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, TypeVar

from pydantic import Field, StringConstraints

from accounts.principal import Principal
from clusters import names
from clusters.actions.exclusive import ExclusiveAction
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster, made_here
from clusters.choices import DriftState
from clusters.models import Cluster, ClusterStack
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import StackReading, read_stack
from clusters.resolved import ResolvedSpec
from clusters.stacks import parts
from clusters.stacks.change_sets import Changed, ChangeSetReading, read_change_set
from clusters.stacks.wanted import behind, deployed, wanted
from clusters.steps.base import Subject
from clusters.steps.stack_update import (
    AGAIN,
    ClearChangeSets,
    DiscardChangeSet,
    DropChangeSet,
    ExecuteChangeSet,
    MakeChangeSet,
    VerifyStack,
)
from instantstart.problem import Problem
from operations import clock, events
from operations.action import Verification, register
from operations.choices import OperationState, Risk, Severity
from operations.models import Operation
from operations.plan import Change, Check, FieldChange, Irreversible, Plan
from operations.step import Step

CHANGE_SET = "Change set"
PartName = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9-]{1,100}$")]
GROUP = "group-"


class StackInput(NameInput):
    """stack: its name without what all of the cluster's have in common: "control-plane", "group-workers"."""

    stack: PartName = names.CONTROL_PLANE


class CompareInput(StackInput):
    """revert_drift: whether what another hand has changed of it is put back too."""

    revert_drift: bool = False


class StackUpdateInput(StackInput):
    """confirm: the stack's name once more, where something of it is deleted or replaced."""

    confirm: str = Field(default="", max_length=128)


OnStack = TypeVar("OnStack", bound=StackInput)


class StackAction(ExclusiveAction[OnStack]):
    """On one stack of a cluster that was made here."""

    def subject(self, data: OnStack) -> tuple[str, str]:
        return "stack", f"{data.name}/{data.stack}"

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/clusters/{operation.input['name']}/stacks/{operation.input['stack']}/", self.until)

    until = "change_set is empty"


def known_stack(data: StackInput, principal: Principal) -> tuple[Cluster, ClusterReader, StackReading]:
    """Problem 404 when there is none, 409 when it is not at rest."""
    row = known_cluster(data.name, principal)
    made_here(row, "update the stacks of")
    with readable():
        reader = ClusterReader.of(row)
        stack = read_stack(reader.aws, names.stack(row.name, data.stack))
    if stack is None:
        raise Problem(
            404,
            "stack_not_found",
            "Stack not found",
            f"{row.name} has no stack {data.stack}.",
            f"List them: GET /api/v1/clusters/{row.name}/stacks/.",
        )
    if not stack.complete:
        raise Problem(
            409,
            "stack_not_at_rest",
            "The stack is not at rest",
            f"The stack {stack.name} is {stack.status}.",
            "Wait until CloudFormation is done with it; if it has failed, retry the phase control_plane or add the group again.",
        )
    return row, reader, stack


def _basis(data: StackInput, stack: StackReading) -> dict[str, object]:
    groups = [data.stack.removeprefix(GROUP)] if data.stack.startswith(GROUP) else []
    return {"stack": stack.stack_id, "status": stack.status, "groups": groups}


@register
class CompareStackAction(StackAction[CompareInput]):
    """Nothing of what is there is changed: CloudFormation makes a change set, which tells what an update would do."""

    kind = "stack.compare"
    title = "Work out what an update of a stack would change"
    Input = CompareInput
    typical_seconds = 20
    until = "the operation has succeeded"

    def plan(self, data: CompareInput, principal: Principal) -> Plan:
        row, reader, stack = known_stack(data, principal)
        with readable():
            now = deployed(reader.aws, stack.stack_id)
            other = behind(now, wanted(reader.aws, ResolvedSpec.model_validate(row.spec), data.stack, now))
        to_do = bool(other) or data.revert_drift
        fields = [FieldChange(field=name, before="as deployed", after="as this release makes it") for name in other]
        if data.revert_drift:
            fields.append(FieldChange(field="drift", before="as it is", after="as it was meant"))
        return Plan(
            kind=self.kind,
            summary=f"Have CloudFormation work out what would change of {stack.name}; nothing is changed yet",
            changes=(Change(resource_type=CHANGE_SET, name=stack.name, action="create" if to_do else "none", fields=tuple(fields)),),
            typical_seconds=self.typical_seconds,
            basis=_basis(data, stack),
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = CompareInput.model_validate(operation.input)
        subject = Subject.of(cluster_row(operation), operation.pk.hex)
        return [
            ClearChangeSets(subject, data.stack),
            MakeChangeSet(subject, data.stack, revert_drift=data.revert_drift),
            DropChangeSet(subject, data.stack),
        ]

    def finished(self, operation: Operation) -> None:
        facts = operation.facts.get(MakeChangeSet.name) or {}
        made = facts if operation.state == OperationState.SUCCEEDED and facts.get("change_set") else {}
        if not made and ClearChangeSets.name not in operation.facts:
            return  # nothing was touched
        _proposed(operation, made)


def _proposed(operation: Operation, made: dict[str, object]) -> None:
    """Keeps the change set that waits, or that none does."""
    row = Cluster.objects.filter(name=operation.input["name"]).first()
    if row is None:
        return
    at = clock.now()
    values = {
        "change_set": made.get("change_set", ""),
        "reverts": bool(made) and bool(operation.input.get("revert_drift")),
        "changes": made.get("changes", []),
        "proposed_at": at if made else None,
    }
    basis = operation.plan["basis"]
    fresh = {"stack_id": basis.get("stack", ""), "status": basis.get("status", ""), "observed_at": at}
    ClusterStack.objects.update_or_create(cluster=row, part=operation.input["stack"], defaults=values, create_defaults={**fresh, **values})
    events.publish(row.topic, "drift", {"cluster": row.name})


@register
class UpdateStackAction(StackAction[StackUpdateInput]):
    """Carries out the change set that waits, and nothing else; then the stack is compared anew."""

    kind = "stack.update"
    title = "Update a stack"
    risk = Risk.DISRUPTIVE
    Input = StackUpdateInput
    typical_seconds = 180

    def risk_of(self, plan: Plan) -> Risk:
        return Risk.DESTRUCTIVE if plan.irreversible else self.risk

    def plan(self, data: StackUpdateInput, principal: Principal) -> Plan:
        row, reader, stack = known_stack(data, principal)
        mark = row.stacks.filter(part=data.stack).exclude(change_set="").first()
        if mark is None:
            raise _nothing_waits(f"No change set waits for the stack {data.stack} of {row.name}.")
        with readable():
            found = read_change_set(reader.aws, mark.change_set)
        if found is None or not found.usable:
            state = "is gone" if found is None else f"is {found.execution or found.status}, for the stack has become another meanwhile"
            raise _nothing_waits(f"The change set of the stack {data.stack} of {row.name} {state}.")
        return Plan(
            kind=self.kind,
            summary=f"Bring {stack.name} to what its change set says",
            changes=tuple(_change(one) for one in found.changes),
            checks=tuple(_checks(row, data.stack, stack.name, found, data.confirm, reverts=mark.reverts)),
            typical_seconds=self.typical_seconds,
            irreversible=tuple(
                Irreversible(
                    what=f"{one.resource_type} {one.logical_id} ({one.physical_id})",
                    why="CloudFormation deletes it." if one.verb == "delete" else "CloudFormation makes a new one and deletes this one.",
                )
                for one in found.changes
                if one.destroys
            ),
            basis={**_basis(data, stack), "change_set": found.arn, "part": data.stack},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        subject, basis = Subject.of(cluster_row(operation), operation.pk.hex), operation.plan["basis"]
        if "change_set" in basis:
            yield ExecuteChangeSet(subject, basis["part"], basis["change_set"])
            yield VerifyStack(subject, basis["part"])

    def finished(self, operation: Operation) -> None:
        # Once it was executed it waits no more, however that ended.
        if ExecuteChangeSet.name in operation.facts or operation.state == OperationState.SUCCEEDED:
            _proposed(operation, {})


@register
class DiscardStackChanges(StackAction[StackInput]):
    """Deletes the change set that waits; the stack stays as it is."""

    kind = "stack.discard"
    title = "Throw a stack's change set away"
    Input = StackInput
    typical_seconds = 5

    def plan(self, data: StackInput, principal: Principal) -> Plan:
        row, _, stack = known_stack(data, principal)
        waits = row.stacks.filter(part=data.stack).exclude(change_set="").exists()
        return Plan(
            kind=self.kind,
            summary=f"Delete the change set of {stack.name}; the stack stays as it is",
            changes=(Change(resource_type=CHANGE_SET, name=stack.name, action="delete" if waits else "none"),),
            typical_seconds=self.typical_seconds,
            basis=_basis(data, stack),
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [DiscardChangeSet(Subject.of(cluster_row(operation), operation.pk.hex), operation.input["stack"])]

    def finished(self, operation: Operation) -> None:
        if operation.state == OperationState.SUCCEEDED:
            _proposed(operation, {})


def _nothing_waits(told: str) -> Problem:
    return Problem(409, "compare_first", "Look at the change set first", told, AGAIN)


def _change(one: Changed) -> Change:
    fields = [FieldChange(field=str(it["field"]), before=it["before"], after=it["after"]) for it in one.properties]
    if (one.destroys and one.verb != "delete") or one.may_replace:
        after = "may be another resource" if one.may_replace else "another resource"
        fields.insert(0, FieldChange(field="replacement", before=one.physical_id, after=after))
    return Change(
        resource_type=one.resource_type,
        name=f"{one.logical_id} ({one.physical_id})" if one.physical_id else one.logical_id,
        action=one.verb,
        fields=tuple(fields),
    )


def _checks(row: Cluster, part: str, stack: str, found: ChangeSetReading, confirm: str, *, reverts: bool) -> Iterator[Check]:
    gone = [one.logical_id for one in found.changes if one.destroys]
    if gone and confirm != stack:
        yield Check(
            code="confirmation_missing",
            severity=Severity.ERROR,
            title="Confirmation",
            detail=f"The update deletes or replaces {', '.join(gone)}: it needs the stack's name typed once more.",
            fix=f'Send confirm: "{stack}".',
            field="confirm",
        )
    unsure = [one.logical_id for one in found.changes if one.may_replace]
    if unsure:
        yield Check(
            code="may_be_replaced",
            severity=Severity.WARNING,
            title="Replacement",
            detail=f"CloudFormation can't tell beforehand whether it must replace {', '.join(unsure)}; what uses it may be interrupted.",
            fix="Look at what changes of it; go on when nothing that matters depends on it.",
        )
    touched = {one.logical_id for one in found.changes}
    kept = row.drifts.filter(source="stack", state__in=(DriftState.ACCEPTED, DriftState.IGNORED)).order_by("id")
    lost = sorted(
        {f"{one.resource} {one.field}" for one in kept if parts.split(one.resource)[0] == part and parts.split(one.resource)[1] in touched}
    )
    if reverts and lost:
        yield Check(
            code="accepted_drift_goes",
            severity=Severity.WARNING,
            title="Accepted or ignored changes",
            detail=f"CloudFormation puts back everything of the stack, also what was accepted or ignored here: {', '.join(lost)}.",
            fix="Discard the change set if that is to stay, and set the other fields by hand.",
        )
