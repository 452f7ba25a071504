"""drift.accept, drift.ignore, drift.revert: what to do about a field that another hand has changed."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from accounts.principal import Principal
from clusters import state
from clusters.actions.group import known_hyperpod
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster
from clusters.choices import DriftState
from clusters.drift import fields
from clusters.drift.alert import tell_of
from clusters.drift.look import LIVE
from clusters.drift.taking import take_over
from clusters.models import Cluster, Drift
from clusters.reading.reader import ClusterReader
from clusters.stacks import parts
from clusters.steps.base import Subject
from clusters.steps.drift import MEMBERS, OFF, SetClusterField
from instantstart.problem import Problem
from operations import clock, events
from operations.action import Action, Verification, find, register
from operations.choices import OperationState, Risk
from operations.models import Operation
from operations.plan import Change, FieldChange, Plan
from operations.step import Step

DESIRED = "Desired state"
CLUSTER_RESOURCE = "HyperPod cluster"


class DriftInput(NameInput):
    """drift: its id in the list of drifts."""

    drift: int = Field(ge=1)


class IgnoreInput(DriftInput):
    """ignored: false shows it again."""

    ignored: bool = True


class RevertInput(DriftInput):
    """disrupt: whether nodes go although something runs on them, where putting it back takes nodes away."""

    disrupt: bool = False


OneDrift = TypeVar("OneDrift", bound=DriftInput)


class DriftAction(Action[OneDrift]):
    def subject(self, data: OneDrift) -> tuple[str, str]:
        return "drift", f"{data.name}/{data.drift}"

    def verify(self, operation: Operation) -> Verification:
        return Verification(
            f"/api/v1/clusters/{operation.input['name']}/drift/{operation.input['drift']}/", f'state is "{self.outcome(operation)}"'
        )

    def outcome(self, operation: Operation) -> str:
        raise NotImplementedError


class RowsAction(DriftAction[OneDrift]):
    """Changes our own rows only, so it is done when it is recorded: AWS is neither asked nor told."""

    typical_seconds = 1
    cancellable = False

    def lock(self, data: OneDrift) -> str:
        # It must be possible while something long runs, and is done when it is recorded: the row's lock keeps the order.
        return ""

    def steps(self, operation: Operation) -> Iterable[Step]:
        return ()

    def still(self, data: OneDrift, operation: Operation) -> tuple[Cluster, Drift] | None:
        """The rows, locked; None when the cluster is gone. Problem 409 when the drift has become another since the plan."""
        row = state.locked(data.name)
        found = row.drifts.filter(pk=data.drift).first() if row is not None else None
        if row is None or found is None:
            return None
        if found.observed != operation.plan["basis"].get("observed", found.observed) or found.state not in LIVE:
            raise Problem(
                409,
                "drift_changed",
                "The drift has changed",
                f"{found.resource} {found.field} of {row.name} was looked at again meanwhile and is another now.",
                "Look at it again, then decide.",
            )
        return row, found


def known_drift(row: Cluster, identifier: int) -> Drift:
    """Problem 404 when the cluster has no such drift."""
    found = row.drifts.filter(pk=identifier).first()
    if found is None:
        raise Problem(
            404, "drift_not_found", "Drift not found", f"{row.name} has no drift {identifier}.", "List the drifts to see their ids."
        )
    return found


def _basis(drift: Drift) -> dict[str, Any]:
    return {
        "drift": drift.pk,
        "resource": drift.resource,
        "field": drift.field,
        "desired": drift.desired,
        "observed": drift.observed,
        "state": str(drift.state),
    }


@register
class AcceptDrift(RowsAction[DriftInput]):
    """What is there is from now on what is meant. No call to AWS."""

    kind = "drift.accept"
    title = "Accept a change made elsewhere"
    Input = DriftInput

    def plan(self, data: DriftInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal, observed_too=True)
        drift = known_drift(row, data.drift)
        live = drift.state in LIVE
        change = FieldChange(field=drift.field, before=drift.desired, after=drift.observed)
        return Plan(
            kind=self.kind,
            summary=f"Take over {drift.resource} {drift.field} of {row.name} as it is",
            changes=(
                Change(
                    resource_type=DESIRED,
                    name=f"{row.name}/{drift.resource}",
                    action="update" if live else "none",
                    fields=(change,) if live else (),
                ),
            ),
            typical_seconds=1,
            basis=_basis(drift),
        )

    def record(self, data: DriftInput, operation: Operation) -> None:
        found = self.still(data, operation)
        if found is None:
            return
        row, drift = found
        take_over(row, drift, operation.pk, clock.now())
        _decide(row, drift, DriftState.ACCEPTED, operation)

    def outcome(self, operation: Operation) -> str:
        return DriftState.ACCEPTED


@register
class IgnoreDrift(RowsAction[IgnoreInput]):
    """It stays what it is and is no longer pointed out, until it becomes another. No call to AWS."""

    kind = "drift.ignore"
    title = "Ignore a change made elsewhere"
    Input = IgnoreInput

    def plan(self, data: IgnoreInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal, observed_too=True)
        drift = known_drift(row, data.drift)
        wanted = DriftState.IGNORED if data.ignored else DriftState.OPEN
        changes = drift.state in LIVE and drift.state != wanted
        return Plan(
            kind=self.kind,
            summary=f"{'Ignore' if data.ignored else 'Point out again'} {drift.resource} {drift.field} of {row.name}",
            changes=(
                Change(
                    resource_type="Drift",
                    name=f"{row.name}/{drift.resource}",
                    action="update" if changes else "none",
                    fields=(FieldChange(field="state", before=str(drift.state), after=str(wanted)),) if changes else (),
                ),
            ),
            typical_seconds=1,
            basis=_basis(drift),
        )

    def record(self, data: IgnoreInput, operation: Operation) -> None:
        found = self.still(data, operation)
        if found is not None:
            _decide(*found, DriftState.IGNORED if data.ignored else DriftState.OPEN, operation)

    def outcome(self, operation: Operation) -> str:
        return DriftState.IGNORED if operation.input["ignored"] else DriftState.OPEN


@dataclass(frozen=True)
class Way:
    """The action of ours that puts a field back, and its input."""

    kind: str
    given: dict[str, Any]

    @property
    def action(self) -> Action[BaseModel]:
        return find(self.kind)

    @property
    def data(self) -> BaseModel:
        return self.action.Input.model_validate(self.given)


@register
class RevertDrift(DriftAction[RevertInput]):
    """Puts one field back as it was meant, by the plan and the steps of the action that would set it."""

    kind = "drift.revert"
    title = "Put back what was changed elsewhere"
    risk = Risk.DISRUPTIVE
    Input = RevertInput
    typical_seconds = 60

    def risk_of(self, plan: Plan) -> Risk:
        """What the action can do by which it is put back: fewer nodes of a group are nodes deleted."""
        by = plan.basis.get("by")
        return find(by).risk_of(plan) if by else self.risk

    def plan(self, data: RevertInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        drift = known_drift(row, data.drift)
        if drift.state not in LIVE:
            nothing = Change(resource_type=DESIRED, name=f"{row.name}/{drift.resource}", action="none")
            return Plan(
                kind=self.kind, summary=f"{drift.resource} {drift.field} is {drift.state} already", changes=(nothing,), basis=_basis(drift)
            )
        if drift.resource == fields.CLUSTER:
            return self._plan_cluster(row, drift)
        way = _way(row, drift, disrupt=data.disrupt)
        inner = way.action.plan(way.data, principal)
        summary = f"Put back {drift.field} of {drift.resource}: {inner.summary}"
        basis = {**inner.basis, **_basis(drift), "by": way.kind, "given": way.given, "inner": dict(inner.basis)}
        return inner.model_copy(update={"kind": self.kind, "summary": summary, "basis": basis})

    def _plan_cluster(self, row: Cluster, drift: Drift) -> Plan:
        with readable():
            found = known_hyperpod(ClusterReader.of(row))
        now = found.raw.get(MEMBERS[drift.field], OFF)
        if drift.desired == OFF and drift.field == fields.PROVISIONING:
            raise _by_hand(row, drift, "HyperPod does not leave the continuous mode again.")
        same = now == drift.desired
        change = Change(
            resource_type=CLUSTER_RESOURCE,
            name=row.name,
            action="none" if same else "update",
            fields=() if same else (FieldChange(field=drift.field, before=now, after=drift.desired),),
        )
        summary = f"Put back {drift.field} of {row.name}"
        return Plan(kind=self.kind, summary=summary, changes=(change,), typical_seconds=self.typical_seconds, basis=_basis(drift))

    def record(self, data: RevertInput, operation: Operation) -> None:
        basis = operation.plan["basis"]
        if "by" in basis:
            way = Way(basis["by"], basis["given"])
            way.action.record(way.data, operation)

    def steps(self, operation: Operation) -> Iterable[Step]:
        basis = operation.plan["basis"]
        if "by" in basis:
            way = Way(basis["by"], basis["given"])
            yield from way.action.steps(_as(operation, way, basis["inner"]))
        elif "field" in basis:
            yield SetClusterField(Subject.of(cluster_row(operation), operation.pk.hex), basis["field"], basis["desired"])

    def finished(self, operation: Operation) -> None:
        if operation.state != OperationState.SUCCEEDED:
            return
        row = state.locked(operation.input["name"])
        drift = row.drifts.filter(pk=operation.input["drift"], state__in=LIVE).first() if row is not None else None
        if row is not None and drift is not None:
            _decide(row, drift, DriftState.RESOLVED, operation)

    def outcome(self, operation: Operation) -> str:
        return DriftState.RESOLVED


def _as(operation: Operation, way: Way, basis: dict[str, Any]) -> Operation:
    """The operation as the other action would have recorded it: its steps look at nothing but the input and the plan."""
    other = copy.copy(operation)
    other.input, other.plan = way.data.model_dump(mode="json"), {**operation.plan, "basis": basis}
    return other


def _way(row: Cluster, drift: Drift, *, disrupt: bool) -> Way:
    """Problem 409 for what no action of ours puts back."""
    if drift.source == "stack":
        return _by_change_set(row, drift)
    if drift.resource.startswith(fields.FEATURE):
        feature = drift.resource.removeprefix(fields.FEATURE)
        change = {"enabled": drift.desired} if drift.field == fields.THERE else {"settings": {drift.field: drift.desired}}
        return Way("feature.set", {"name": row.name, "features": {feature: change}})
    group = drift.resource.removeprefix(fields.GROUP)
    if drift.field == fields.THERE:
        told = "Its nodes and disks are lost." if drift.desired else "It was made elsewhere and may be in use."
        fix = f"Add {group} again" if drift.desired else f"Delete {group} with its own action"
        raise Problem(
            409, "drift_not_reverted", "Not put back", f"The group {group} of {row.name} is not put back. {told}", f"{fix}, or accept it."
        )
    if drift.field == "count":
        return Way("group.scale", {"name": row.name, "group": group, "count": drift.desired, "disrupt": disrupt})
    return Way("group.update", {"name": row.name, "group": group, drift.field: drift.desired})


def _by_change_set(row: Cluster, drift: Drift) -> Way:
    """CloudFormation puts back all that drifted in a stack at once: by a change set that was looked at, or not at all. Problem 409."""
    part, logical_id = parts.split(drift.resource)
    stack = row.stacks.filter(part=part).exclude(change_set="").first()
    if stack is not None and stack.reverts and any(one["logical_id"] == logical_id for one in stack.changes):
        return Way("stack.update", {"name": row.name, "stack": part})
    raise Problem(
        409,
        "compare_first",
        "Look at the change set first",
        f"{drift.resource} {drift.field} of {row.name} is put back by CloudFormation, with all else that has drifted in the stack {part}.",
        f"Have it work out what it would do: POST /api/v1/clusters/{row.name}/stacks/{part}/compare/ with revert_drift, or "
        "Work out the changes on the page of drift; then carry that out.",
    )


def _by_hand(row: Cluster, drift: Drift, why: str) -> Problem:
    return Problem(
        409,
        "drift_not_reverted",
        "Not put back",
        f"{drift.resource} {drift.field} of {row.name} is not put back. {why}",
        f"Set {drift.field} of {drift.physical_id or row.name} to {drift.desired} by hand, or accept or ignore it.",
    )


def _decide(row: Cluster, drift: Drift, decision: DriftState, operation: Operation) -> None:
    drift.state, drift.decided_at = decision, clock.now()
    drift.decided_by = operation.actor.get_username() if operation.actor is not None else ""
    drift.save(update_fields=["state", "decided_at", "decided_by"])
    tell_of(row)
    events.publish(row.topic, "drift", {"cluster": row.name})
