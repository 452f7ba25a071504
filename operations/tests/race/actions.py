"""The action that the racing processes carry out: two steps, each a call that must be made once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from accounts.principal import Principal
from operations.action import Action, Verification, register
from operations.choices import StepState
from operations.models import Operation
from operations.plan import Change, Plan
from operations.step import Observation, Outcome, Step, StepContext
from operations.tests.race.outside import FileWorld


class Named(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str


class MarkStep(Step):
    """Makes a mark outside; a file of the mark's name shows that it is there."""

    api = "race:Mark"
    apply_timeout = 5.0

    def __init__(self, name: str) -> None:
        self.name = name
        self.title = f"Mark {name}"

    def _mark(self, context: StepContext) -> Path:
        return Path(os.environ["RACE_FOLDER"]) / f"{context.operation.subject}-{self.name}"

    def observe(self, context: StepContext) -> Observation:
        there = self._mark(context).exists()
        return Observation(StepState.READY if there else StepState.ABSENT, f"{self.name} is {'there' if there else 'not there'}")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        FileWorld(Path(os.environ["RACE_FOLDER"]) / "calls").make(f"{context.operation.subject}-{self.name}", context.token(self))
        self._mark(context).touch()
        return Outcome("done")


@register
class Mark(Action[Named]):
    kind = "race.mark"
    title = "Mark"
    Input = Named

    def subject(self, data: Named) -> tuple[str, str]:
        return "mark", data.name

    def plan(self, data: Named, principal: Principal) -> Plan:
        return Plan(kind=self.kind, summary="Mark", changes=(Change(resource_type="mark", name=data.name, action="create"),))

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [MarkStep("first"), MarkStep("second")]

    def verify(self, operation: Operation) -> Verification:
        return Verification("/", "marked")
