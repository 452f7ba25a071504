"""A step that is an operation of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from accounts.choices import Role
from accounts.models import User
from accounts.principal import Principal
from operations.cancel import request_cancel
from operations.choices import Category, OperationState, StepState
from operations.models import Operation
from operations.step import Fault, Observation, Outcome, Step, StepContext
from operations.submit import submit


class ChildStep(Step):
    """Carries out another action as a child operation, once; its end tells the parent to go on.

    facts when ready: {"operation": id, "facts": the child's facts}.
    """

    api = "operations:submit"

    def __init__(self, name: str, title: str, kind: str, input: Mapping[str, Any], typical_seconds: int | None = None) -> None:
        self.name = name
        self.title = title
        self.kind = kind
        self.input = dict(input)
        self.typical_seconds = typical_seconds

    def child(self, context: StepContext) -> Operation | None:
        return Operation.objects.filter(parent_id=context.operation.pk, parent_step=self.name).first()

    def observe(self, context: StepContext) -> Observation:
        child = self.child(context)
        if child is None:
            return Observation(StepState.ABSENT, self.title)
        link = f"/api/v1/operations/{child.pk}/"
        facts: dict[str, Any] = {"operation": str(child.pk)}
        state = OperationState(child.state)
        if state == OperationState.SUCCEEDED:
            return Observation(StepState.READY, f"{self.title}: done.", {**facts, "facts": child.facts}, link=link)
        if state == OperationState.UNKNOWN:
            message = f"{self.title}: a person must say how it ended. {child.error_message}".strip()
            return Observation(StepState.PENDING, message, facts, link=link)
        if not child.ended:
            return Observation(StepState.PENDING, child.waiting_for or child.message or self.title, facts, link=link)
        fault = Fault(
            child.error_code or f"child_{state}",
            child.error_message or f"{self.title}: {state.label.lower()}.",
            child.error_hint or "Try it again.",
            Category.TERMINAL,
        )
        return Observation(StepState.FAILED, fault.message, facts, fault, link)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        parent = context.operation
        submission = submit(self.kind, self.input, principal_of_actor(parent), channel=parent.channel, parent=parent, parent_step=self.name)
        return Outcome(str(submission.operation.pk) if submission.operation else "")

    def cancel(self, context: StepContext) -> Observation:
        child = self.child(context)
        if child is None or child.ended:
            return Observation(StepState.READY, f"{self.title}: nothing runs any more.")
        if child.state not in (OperationState.CANCELLING, OperationState.UNKNOWN):
            request_cancel(child, f"{context.operation.title} was cancelled.")
        return self.observe(context)


def principal_of_actor(operation: Operation) -> Principal:
    """Who the operation acts for. Rights were checked when it was submitted; what is part of it asks no more."""
    user = operation.actor
    return Principal(
        user=cast(User, user),
        token=None,
        role=Role(user.role) if user is not None else Role.ADMIN,
        clusters=None,
        read_only=False,
        agent=False,
    )
