"""Actions, steps and an observer that reach the fake world of operations.tests.world."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from accounts.choices import Role
from accounts.principal import Principal
from operations.action import Action, Verification, register
from operations.choices import Category, Risk, Severity, StepState
from operations.models import Operation
from operations.observing import Observer, Pace, register_observer
from operations.plan import Change, Check, Plan
from operations.step import Fault, Observation, Outcome, Step, StepContext
from operations.steps.child import ChildStep
from operations.tests import world

finished: list[tuple[str, str]] = []
"""(kind, state) of each call of Action.finished."""
unreadable: list[tuple[str, str, int]] = []
"""(key, code, failures) of each call of Observer.unreadable."""


class Names(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    things: tuple[str, ...] = ("a",)
    error: str = ""
    nothing: bool = False


class Priced(Names):
    """cost: dollars an hour afterwards, of 1.0 now; None for unknown."""

    cost: float | None = 1.0


class MakeStep(Step):
    """Makes one thing outside, and waits until it is ready."""

    api = "fake:Make"
    apply_timeout = 5.0

    def __init__(self, name: str) -> None:
        self.name = name
        self.title = f"Make {name}"

    def _thing(self, context: StepContext) -> str:
        return f"{context.operation.subject}/{self.name}"

    def observe(self, context: StepContext) -> Observation:
        thing = self._thing(context)
        if (broken := world.outside.broken.get(self.name)) is not None:
            return Observation(StepState.FAILED, "broken", {}, broken)
        left = world.outside.read(thing)
        if left is None:
            return Observation(StepState.ABSENT, f"{thing} is not there")
        if left:
            return Observation(StepState.PENDING, f"{thing} comes up", link=f"/outside/{thing}")
        return Observation(StepState.READY, f"{thing} is there", {"thing": thing})

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        return Outcome(world.outside.make(self._thing(context), context.token(self), once_per_token=self.idempotent))


class RebootStep(MakeStep):
    """The same over an API without tokens or names: its effect shows only in what observe() can see."""

    api = "fake:Reboot"
    idempotent: ClassVar[bool] = False


class RemoveStep(MakeStep):
    api = "fake:Remove"

    def observe(self, context: StepContext) -> Observation:
        thing = self._thing(context)
        left = world.outside.read(thing)
        if left is None:
            return Observation(StepState.READY, f"{thing} is gone")
        return Observation(StepState.DIFFERENT, f"{thing} is still there")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        return Outcome(world.outside.remove(self._thing(context), context.token(self)))


class FakeAction(Action[Names]):
    Input = Names

    def subject(self, data: Names) -> tuple[str, str]:
        return "cluster", data.name

    def plan(self, data: Names, principal: Principal) -> Plan:
        checks = (
            (Check(code=data.error, severity=Severity.ERROR, title="No", detail="It can't be.", fix="Ask otherwise."),)
            if data.error
            else ()
        )
        changes = tuple(
            Change(resource_type="fake", name=f"{data.name}/{thing}", action="none" if data.nothing else "create") for thing in data.things
        )
        return Plan(
            kind=self.kind, summary=f"{self.title} {data.name}", changes=changes, checks=checks, basis={"seen": len(world.outside.things)}
        )

    def finished(self, operation: Operation) -> None:
        finished.append((operation.kind, operation.state))

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/things/{operation.subject}/", "ready")


@register
class Make(FakeAction):
    kind = "fake.make"
    title = "Make things"

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [MakeStep(thing) for thing in operation.input["things"]]


@register
class Reboot(FakeAction):
    kind = "fake.reboot"
    title = "Reboot things"
    risk = Risk.DISRUPTIVE
    permission = Role.ADMIN
    cancellable = False

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [RebootStep(thing) for thing in operation.input["things"]]


@register
class Remove(FakeAction):
    kind = "fake.remove"
    title = "Remove things"
    risk = Risk.DESTRUCTIVE

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [RemoveStep(thing) for thing in operation.input["things"]]


@register
class Buy(FakeAction):
    """Makes things that cost money. What it costs is not part of its fingerprint, as with every plan."""

    kind = "fake.buy"
    title = "Buy things"
    risk = Risk.COSTS
    Input = Priced

    def plan(self, data: Names, principal: Principal) -> Plan:
        cost = data.cost if isinstance(data, Priced) else None
        return super().plan(data, principal).model_copy(update={"cost_per_hour_before": 1.0, "cost_per_hour": cost})

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [MakeStep(thing) for thing in operation.input["things"]]


@register
class Pipeline(FakeAction):
    """Each thing by a child operation of its own."""

    kind = "fake.pipeline"
    title = "Make things in order"

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [
            ChildStep(thing, f"Phase {thing}", "fake.make", {"name": operation.subject, "things": [thing]})
            for thing in operation.input["things"]
        ]


@register_observer
class FakeObserver(Observer):
    kind = "fake.thing"

    def observe(self, key: str) -> Pace:
        left = world.outside.read(key)
        if left is None:
            return Pace.GONE
        return Pace.TRANSITION if left else Pace.STEADY

    def unreadable(self, key: str, fault: Fault, since: object, failures: int) -> None:
        unreadable.append((key, fault.code, failures))


TERMINAL = Fault("broken_for_good", "It is broken for good.", "Mend it.", Category.TERMINAL)
