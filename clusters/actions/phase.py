"""The verbs of phases: each phase's own creation, and the retry of one, which takes the pipeline on from there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

from clusters import state
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster, made_here, verify_ready
from clusters.choices import PhaseName, Seen
from clusters.creation_plan import price
from clusters.phases import PHASES, PhaseEntry, entry, following
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from operations import clock
from operations.action import Action, Verification, register
from operations.choices import OperationState, Risk
from operations.models import Operation
from operations.plan import Change, Plan
from operations.step import Step
from operations.steps.child import ChildStep

from accounts.principal import Principal  # isort: skip


class PhaseAction(Action[NameInput]):
    """Makes one phase. Run by cluster.create and phase.retry; what is ready already is left alone, for every step observes first."""

    Input = NameInput
    risk = Risk.COSTS
    phase: ClassVar[PhaseName]

    def subject(self, data: NameInput) -> tuple[str, str]:
        return "phase", f"{data.name}/{self.phase}"

    def plan(self, data: NameInput, principal: Principal) -> Plan:
        made_here(known_cluster(data.name, principal, observed_too=True), "build")
        found = entry(self.phase)
        change = Change(resource_type="Phase", name=f"{data.name}/{self.phase}", action="update")
        return Plan(kind=self.kind, summary=f"{found.title}: {data.name}", changes=(change,), typical_seconds=found.typical_seconds)

    def record(self, data: NameInput, operation: Operation) -> None:
        state.note_operation(data.name, operation, whole=False, phases=(self.phase,))

    def steps(self, operation: Operation) -> Iterable[Step]:
        return entry(self.phase).steps(Subject.of(cluster_row(operation), operation.pk.hex))

    def finished(self, operation: Operation) -> None:
        name = operation.input["name"]
        if operation.state == OperationState.SUCCEEDED:
            # Every step has just observed the world: that is a reading like any other.
            row = cluster_row(operation, missing_ok=True)
            if row is not None:
                row.phases.filter(name=self.phase).update(
                    seen=Seen.READY, made=True, observed_at=clock.now(), failures=0, unreadable="", faults=[]
                )
        state.note_operation(name, operation, whole=False, phases=(self.phase,))

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/clusters/{operation.input['name']}/phases/", f"{self.phase} is ready")

    def retry(self, operation: Operation) -> tuple[str, dict[str, object]]:
        return RetryPhase.kind, {"name": operation.input["name"], "phase": str(self.phase)}


def _phase_action(phase: PhaseEntry) -> type[PhaseAction]:
    body = {"phase": phase.name, "kind": f"phase.{phase.name}", "title": phase.title, "typical_seconds": phase.typical_seconds}
    return type(f"{phase.name.title().replace('_', '')}Phase", (PhaseAction,), body)


for _phase in PHASES:
    register(_phase_action(_phase))


def child(phase: PhaseEntry, cluster: str) -> ChildStep:
    """The step of a parent that makes the phase."""
    return ChildStep(f"phase-{phase.name.replace('_', '-')}", phase.title, f"phase.{phase.name}", {"name": cluster}, phase.typical_seconds)


class RetryInput(NameInput):
    phase: Literal["control_plane", "select", "dependencies", "hyperpod", "storage"]


@register
class RetryPhase(Action[RetryInput]):
    """Makes a phase again and goes on with those after it. What is ready stays as it is."""

    kind = "phase.retry"
    title = "Retry a phase and go on from there"
    risk = Risk.COSTS
    Input = RetryInput
    typical_seconds = 600

    def subject(self, data: RetryInput) -> tuple[str, str]:
        return "cluster", data.name

    def plan(self, data: RetryInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal, observed_too=True)
        made_here(row, "build")
        reader = ClusterReader.of(row)
        spec = ResolvedSpec.model_validate(row.spec)
        with readable():
            readings = [(phase, phase.probe(reader, spec)) for phase in following(data.phase)]
        undone = [phase for phase, seen in readings if seen.seen is not Seen.READY]
        changes = tuple(
            Change(resource_type="Phase", name=f"{row.name}/{phase.name}", action="none" if seen.seen is Seen.READY else "update")
            for phase, seen in readings
        )
        return Plan(
            kind=self.kind,
            summary=f"Take {row.name} on from the phase {entry(data.phase).name.label.lower()}",
            changes=changes,
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=price(spec),
            typical_seconds=sum(phase.typical_seconds for phase in undone),
            resumes=row.name,
            basis={"seen": {str(phase.name): str(seen.seen) for phase, seen in readings}},
        )

    def record(self, data: RetryInput, operation: Operation) -> None:
        state.note_operation(data.name, operation, whole=True)

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [child(phase, operation.input["name"]) for phase in following(operation.input["phase"])]

    def finished(self, operation: Operation) -> None:
        state.note_operation(operation.input["name"], operation, whole=True)

    def verify(self, operation: Operation) -> Verification:
        return verify_ready(operation.input["name"])
