"""One tick of one operation, under its lease."""

from __future__ import annotations

import enum
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from operations import action as actions
from operations import backoff, clock, errors, events, intents, leases, points
from operations.action import Action
from operations.agents import rules
from operations.choices import Category, OperationState, StepState
from operations.ending import end
from operations.intents import History
from operations.leases import Lease, LeaseLost, StateChanged
from operations.models import Intent, Operation
from operations.models.event import Level
from operations.models.intent import IntentOutcome
from operations.progress import done, listed_steps, moved
from operations.step import Fault, Observation, Outcome, Step, StepContext

log = structlog.get_logger(__name__)

POLL_REFERENCE_SECONDS = 12.0
"""The POLL_TRANSITION for which steps give their poll_seconds; another setting scales them alike."""
CALLS_IN_A_ROW = 25
"""Calls of one step after which the engine takes a breath between two of them: a step that never converges must not storm AWS."""
HELD = "Held: all agents are stopped. It begins when an administrator starts them again; a person may cancel it."
NO_ERROR: dict[str, Any] = {"error_code": "", "error_message": "", "error_hint": "", "error_category": ""}


class Turn(enum.Enum):
    """What a tick came to: go on at once, or the operation was left (or has ended)."""

    GO_ON = "go on"
    OVER = "over"


class Run:
    """A tick reads the world once for the current step and does at most one thing about it."""

    def __init__(self, lease: Lease, operation: Operation) -> None:
        self.lease = lease
        self.operation = operation
        self.as_read = Q(state=operation.state)

    def tick(self, *, yield_now: bool = False) -> Turn:
        """Raises LeaseLost and StateChanged; then nothing was written after they were noticed."""
        try:
            action = actions.find(self.operation.kind)
        except KeyError:
            return self._end(
                OperationState.FAILED,
                fault=Fault("unknown_action", f"This release knows no action {self.operation.kind!r}.", "Run the release that began it."),
            )
        if self.operation.state == OperationState.RECORDED:
            return self._start()
        try:
            steps = list(action.steps(self.operation))
        except Exception as error:  # noqa: BLE001  (a defect in an action must be shown, and must not be tried for ever)
            return self._trouble(None, errors.classify(error), error)
        if yield_now:
            return self._leave(0.0, self.operation.message, self.operation.link)
        if self.operation.state == OperationState.CANCELLING:
            return self._converge(steps)
        ready = done(self.operation.steps)
        step = next((step for step in steps if step.name not in ready), None)
        if step is None:
            return self._end(OperationState.SUCCEEDED, message=self.operation.message)
        return self._advance(action, steps, step)

    # --- going forward ----------------------------------------------------------------------------------------------

    def _start(self) -> Turn:
        points.reach("start.before")
        with transaction.atomic():
            if rules.holds(self.operation):
                return self._leave(poll_seconds(None), self.operation.message, self.operation.link, waiting_for=HELD)
            leases.write(
                self.lease,
                where=self.as_read,
                state=OperationState.RUNNING,
                started_at=self.operation.started_at or clock.now(),
                waiting_for="",
            )
            self.operation.state = OperationState.RUNNING
            self.operation.waiting_for = ""
            events.note(self.operation, "started", "A worker has taken it up.")
            events.publish_operation(self.operation)
        points.reach("start.committed")
        return Turn.GO_ON

    def _advance(self, action: Action[Any], steps: list[Step], step: Step) -> Turn:
        past = intents.history(self.operation, step)
        if past.unsent and past.last is not None:
            intents.settle(self.lease, past.last, IntentOutcome.FAILED, error_code=intents.NOT_SENT)
            return Turn.GO_ON
        context = self._context(past)
        seen = self._observe(step, context)
        if isinstance(seen, Turn):
            return seen
        absent = seen.state in (StepState.ABSENT, StepState.DIFFERENT)
        if past.unresolved and past.last is not None:
            if not absent and seen.state != StepState.UNKNOWN:
                intents.settle(self.lease, past.last, IntentOutcome.SUCCEEDED)
            elif not step.idempotent:
                return self._no_evidence(steps, step, past)
            elif absent and past.last.ended_at is None:
                intents.settle(self.lease, past.last, IntentOutcome.UNKNOWN, error_code="no_reply", error_message="Not seen when observed.")

        if seen.state == StepState.READY:
            return self._step_ready(steps, step, seen)
        if seen.state == StepState.PENDING or (absent and not step.api):
            return self._wait(steps, step, seen)
        if absent:
            waits = past.not_visible_yet(seen) if step.idempotent else past.succeeded
            return self._wait(steps, step, seen) if waits else self._call(steps, step, context, seen, past)
        fault = seen.fault or Fault(f"{step.name}_{seen.state}", seen.message or f"{step.title}: {seen.state}.", "", Category.TERMINAL)
        if seen.state == StepState.UNKNOWN and fault.category == Category.TERMINAL:
            fault = Fault(fault.code, fault.message, fault.hint, Category.RECOVERABLE)
        return self._trouble(step, fault, facts=seen.facts, link=seen.link)

    def _context(self, past: History) -> StepContext:
        return StepContext(self.operation, self.operation.facts, past.next_attempt, past.sent_at, past.reply)

    def _observe(self, step: Step, context: StepContext) -> Observation | Turn:
        points.reach("observe.before")
        try:
            seen = step.observe(context)
        except Exception as error:  # noqa: BLE001  (see errors.classify: what it does not know is a defect, shown as such)
            return self._trouble(step, errors.classify(error), error)
        points.reach("observe.after")
        return seen

    def _call(self, steps: list[Step], step: Step, context: StepContext, seen: Observation, past: History) -> Turn:
        """Write-ahead, a last look at the lease, the one external change, its outcome."""
        if step.apply_timeout >= leases.seconds():
            message = f"{step.title}: a call of up to {step.apply_timeout:g} s does not fit into a lease of {leases.seconds():g} s."
            return self._trouble(step, Fault("call_outlasts_lease", message, "Raise INSTANTSTART_LEASE_SECONDS."))
        shown = self._shown(steps, step, seen)
        intent = intents.open_intent(self.lease, self.operation, step, past.next_attempt, context.token(step), seen, shown)
        intents.mark_sent(self.lease, self.operation, intent)
        points.reach("call.before")
        try:
            outcome = step.apply(context, seen)
        except Exception as error:  # noqa: BLE001  (whatever it was, the intent must say whether the call may have worked)
            fault = errors.classify(error)
            unknown = errors.uncertain(error)
            intents.close(
                self.lease,
                self.operation,
                intent,
                IntentOutcome.UNKNOWN if unknown else IntentOutcome.FAILED,
                done=Outcome(str(getattr(error, "request_id", "") or "")),
                error_code=fault.code,
                error_message=fault.message,
            )
            if unknown and fault.category == Category.TERMINAL:
                fault = Fault(fault.code, fault.message, fault.hint, Category.RECOVERABLE)
            return self._trouble(step, fault, error)
        points.reach("call.after")
        intents.close(self.lease, self.operation, intent, IntentOutcome.SUCCEEDED, done=outcome)
        if outcome.message:
            events.note(self.operation, "applied", outcome.message, step=step.name)
        if past.next_attempt >= CALLS_IN_A_ROW:
            return self._leave(poll_seconds(None), self.operation.message, self.operation.link)
        return Turn.GO_ON

    def _step_ready(self, steps: list[Step], step: Step, seen: Observation) -> Turn:
        at = clock.now()
        rows = moved(listed_steps(self.operation.steps, steps), step.name, "ready", seen.message, at)
        facts = {**self.operation.facts, step.name: dict(seen.facts)}
        columns: dict[str, Any] = {
            "steps": rows,
            "facts": facts,
            "step": step.name,
            "message": seen.message or step.title,
            "waiting_for": "",
            "link": seen.link,
            "attempts": 0,
            **NO_ERROR,
        }
        points.reach("step.before")
        with transaction.atomic():
            leases.write(self.lease, where=self.as_read, **columns)
            for name, value in columns.items():
                setattr(self.operation, name, value)
            events.note(self.operation, "step_ready", seen.message or step.title, step=step.name)
            events.publish_operation(self.operation)
        points.reach("step.committed")
        return Turn.GO_ON

    # --- waiting ----------------------------------------------------------------------------------------------------

    def _shown(self, steps: list[Step], step: Step, seen: Observation) -> dict[str, Any]:
        """The columns that say which step runs; empty when the page shows it already."""
        message = seen.message or step.title
        row = next((row for row in self.operation.steps if row["name"] == step.name), None)
        if row is not None and row["state"] == "running" and self.operation.step == step.name and self.operation.message == message:
            return {}
        rows = moved(listed_steps(self.operation.steps, steps), step.name, "running", message, clock.now())
        return {"step": step.name, "steps": rows, "message": message, "link": seen.link}

    def _wait(self, steps: list[Step], step: Step, seen: Observation) -> Turn:
        rows = moved(listed_steps(self.operation.steps, steps), step.name, "running", seen.message, clock.now())
        message = seen.message or f"{step.title}: not done yet."
        return self._leave(
            poll_seconds(seen.poll_seconds),
            message,
            seen.link,
            waiting_for=message,
            steps=rows,
            step=step.name,
            facts={**self.operation.facts, step.name: dict(seen.facts)},
            attempts=0,
            **NO_ERROR,
        )

    def _leave(self, seconds: float, message: str, link: str, *, trouble: Fault | None = None, **fields: Any) -> Turn:
        """Frees the lease until then. What the page shows is told to it only when it changed."""
        columns: dict[str, Any] = {"message": message, "link": link, **fields}
        shown = ("message", "waiting_for", "step", "link", "error_code")
        news = any(name in columns and columns[name] != getattr(self.operation, name) for name in shown)
        points.reach("leave.before")
        with transaction.atomic():
            leases.leave(self.lease, clock.now() + timedelta(seconds=seconds), self.operation.pokes, where=self.as_read, **columns)
            if trouble is not None:
                events.note(self.operation, trouble.code, trouble.message, step=str(fields["step"]), level=Level.WARNING)
            if news:
                for name in shown:
                    if name in columns:
                        setattr(self.operation, name, columns[name])
                events.publish_operation(self.operation)
        points.reach("leave.committed")
        return Turn.OVER

    # --- trouble ----------------------------------------------------------------------------------------------------

    def _trouble(self, step: Step | None, fault: Fault, error: Exception | None = None, *, facts: Any = None, link: str = "") -> Turn:
        """A failure: tried again later, or the end of the operation, as its category says."""
        operation = self.operation
        failures = operation.attempts + 1
        name = step.name if step is not None else operation.step
        log.warning(
            "step_trouble",
            step=name,
            code=fault.code,
            category=str(fault.category),
            failures=failures,
            exc_info=error if error is not None and errors.unforeseen(error) else None,
        )
        if facts:
            operation.facts = {**operation.facts, name: dict(facts)}
        rows = operation.steps
        if fault.category == Category.TERMINAL or backoff.spent(fault.category, failures):
            past = intents.history(operation, step) if step is not None else None
            unresolved = past is not None and past.unresolved
            unclear = unresolved and (fault.category != Category.TERMINAL or not (step and step.idempotent))
            if past is not None and past.last is not None and past.last.ended_at is None:
                intents.settle(self.lease, past.last, IntentOutcome.UNKNOWN, error_code="no_reply")
            rows = moved(rows, name, "unknown" if unclear else "failed", fault.message, clock.now())
            return self._end(
                OperationState.UNKNOWN if unclear else OperationState.FAILED,
                fault=fault,
                steps=rows,
                step=name,
                facts=operation.facts,
                attempts=failures,
                link=link or operation.link,
            )
        seconds = backoff.delay(fault.category, failures)
        at = clock.now() + timedelta(seconds=seconds)
        return self._leave(
            seconds,
            operation.message,
            link or operation.link,
            trouble=fault,
            waiting_for=f"{_sentence(fault.message)} Tries again at {at:%H:%M:%S} UTC (after {failures} failed).",
            steps=moved(rows, name, "running", fault.message, clock.now()),
            step=name,
            facts=operation.facts,
            attempts=failures,
            error_code=fault.code,
            error_message=fault.message,
            error_hint=fault.hint,
            error_category=fault.category,
        )

    def _no_evidence(self, steps: list[Step], step: Step, past: History) -> Turn:
        """A call that must not be sent again got no reply and shows no effect: it may still come into view for a while."""
        if past.last is not None and past.last.ended_at is None and step.evidence_seconds:
            intents.settle(self.lease, past.last, IntentOutcome.UNKNOWN, error_code="no_reply", error_message="Not seen when observed.")
        if past.may_come_into_view(poll_seconds(step.evidence_seconds)):
            return self._wait(
                steps, step, Observation(StepState.UNKNOWN, f"{step.title}: no reply came; looking whether the call had effect")
            )
        return self._outcome_unknown(step, past)

    def _outcome_unknown(self, step: Step, past: History) -> Turn:
        if past.last is not None and past.last.ended_at is None:
            intents.settle(self.lease, past.last, IntentOutcome.UNKNOWN, error_code="no_reply", error_message="Not seen when observed.")
        sent = f"{past.sent_at:%H:%M:%S} UTC" if past.sent_at else "an unknown time"
        fault = Fault(
            "outcome_unknown",
            f"{step.title}: the call {step.api} was sent at {sent} and no reply came; whether it took effect can't be seen.",
            "Look at the thing itself, then say how it ended. It is never sent again by itself.",
            Category.UNKNOWN,
        )
        rows = moved(self.operation.steps, step.name, "unknown", fault.message, clock.now())
        return self._end(OperationState.UNKNOWN, fault=fault, steps=rows, step=step.name)

    # --- cancelling -------------------------------------------------------------------------------------------------

    def _converge(self, steps: list[Step]) -> Turn:
        """Brings a cancelled operation to rest: the step that runs says when nothing moves any more."""
        name = self.operation.step
        step = next((step for step in steps if step.name == name and name not in done(self.operation.steps)), None)
        if step is None:
            return self._end(OperationState.CANCELLED, message=f"Cancelled. {self._what_stands()}")
        past = intents.history(self.operation, step)
        if past.unsent and past.last is not None:
            intents.settle(self.lease, past.last, IntentOutcome.FAILED, error_code=intents.NOT_SENT)
            past = intents.history(self.operation, step)
        points.reach("observe.before")
        try:
            seen = step.cancel(self._context(past))
        except Exception as error:  # noqa: BLE001  (as in _observe)
            return self._trouble(step, errors.classify(error), error)
        points.reach("observe.after")
        if seen.state == StepState.PENDING:
            message = seen.message or step.title
            return self._leave(
                poll_seconds(seen.poll_seconds), message, seen.link, waiting_for=f"Cancelling: {_sentence(message)}", attempts=0
            )
        if past.last is not None and past.last.ended_at is None:
            if not step.idempotent:
                return self._outcome_unknown(step, past)
            intents.settle(self.lease, past.last, IntentOutcome.UNKNOWN, error_code="no_reply")
        rows = moved(listed_steps(self.operation.steps, steps), step.name, "cancelled", seen.message, clock.now())
        return self._end(OperationState.CANCELLED, message=f"{_sentence(seen.message or 'Cancelled')} {self._what_stands()}", steps=rows)

    def _what_stands(self) -> str:
        """What was asked for before is not taken back by cancelling."""
        own = Q(operation=self.operation) | Q(operation__parent=self.operation)
        asked = Intent.objects.filter(own).exclude(outcome=IntentOutcome.FAILED).order_by("pk").values_list("api", flat=True)
        names = list(dict.fromkeys(asked))
        return f"What was asked for stands: {', '.join(names)}." if names else "Nothing was changed."

    # --- the end ----------------------------------------------------------------------------------------------------

    def _end(self, state: OperationState, *, message: str = "", fault: Fault | None = None, **fields: Any) -> Turn:
        where = self.lease.held() & self.as_read & Q(lease_expires_at__gt=clock.now())
        if not end(self.operation, state, message or (fault.message if fault else ""), where, fault, **fields):
            if Operation.objects.filter(self.lease.held(), lease_expires_at__gt=clock.now()).exists():
                raise StateChanged
            raise LeaseLost
        return Turn.OVER


def poll_seconds(wanted: float | None) -> float:
    """When to look again: what the step wants, scaled as all polling is, else the setting."""
    setting = float(settings.POLL_TRANSITION)
    return setting if wanted is None else wanted * setting / POLL_REFERENCE_SECONDS


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
