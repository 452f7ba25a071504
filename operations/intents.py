"""Write-ahead rows of external calls: opened before, closed after, settled by observing when a driver died between."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from operations import clock, events, leases, observing, points
from operations.leases import Lease
from operations.models import Intent, Operation
from operations.models.intent import IntentOutcome
from operations.step import Observation, Outcome, Step

NOT_SENT = "not_sent"
"""`error_code` of an intent that was certainly never sent."""
SETTLE_SECONDS = 10.0
"""How long after a successful call an unchanged observation means "not visible yet" rather than "undone"."""


@dataclass(frozen=True)
class History:
    """The calls of one step so far: the last one, and the number that the next one has."""

    last: Intent | None
    next_attempt: int

    @property
    def sent_at(self) -> datetime | None:
        """When the step's call was last (perhaps) sent."""
        return self.last.sent_at if self.last is not None and self.last.error_code != NOT_SENT else None

    @property
    def unresolved(self) -> bool:
        """Whether the last call may have had an effect that nobody has told us of."""
        last = self.last
        return last is not None and (last.ended_at is None or last.outcome == IntentOutcome.UNKNOWN) and last.sent_at is not None

    @property
    def unsent(self) -> bool:
        """Whether the last driver died before it sent what it meant to."""
        return self.last is not None and self.last.ended_at is None and self.last.sent_at is None

    @property
    def reply(self) -> dict[str, Any]:
        """What the answer to the last call said that observing can't show."""
        return self.last.reply if self.last is not None else {}

    def may_come_into_view(self, seconds: float) -> bool:
        """Whether the reply was lost no longer ago than that."""
        last = self.last
        return last is not None and last.ended_at is not None and clock.now() - last.ended_at < timedelta(seconds=seconds)

    def not_visible_yet(self, seen: Observation) -> bool:
        """Whether the last call succeeded just now and `seen` is what was seen before it."""
        last = self.last
        if last is None or last.outcome != IntentOutcome.SUCCEEDED or last.ended_at is None:
            return False
        return last.seen == digest(seen) and clock.now() - last.ended_at < timedelta(seconds=SETTLE_SECONDS)

    @property
    def succeeded(self) -> bool:
        return self.last is not None and self.last.outcome == IntentOutcome.SUCCEEDED


def history(operation: Operation, step: Step) -> History:
    """What was sent for this step in this operation. A call counts once its outcome is certain."""
    last: Intent | None = None
    certain = 0
    for intent in Intent.objects.filter(operation=operation, step=step.name).order_by("id"):
        last = intent
        if intent.outcome in (IntentOutcome.SUCCEEDED, IntentOutcome.FAILED) and intent.error_code != NOT_SENT:
            certain += 1
    return History(last, certain + 1)


def digest(seen: Observation) -> str:
    """The same for two observations that show the same."""
    text = json.dumps([seen.state, seen.message, dict(seen.facts)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def open_intent(
    lease: Lease, operation: Operation, step: Step, attempt: int, token: str, seen: Observation, shown: dict[str, Any]
) -> Intent:
    """Commits what is about to be sent, and the columns that show it. Raises LeaseLost or StateChanged when it must not be."""
    points.reach("intent.before")
    with transaction.atomic():
        leases.write(lease, where=Q(state=operation.state), **shown)
        if shown:
            for name, value in shown.items():
                setattr(operation, name, value)
            events.publish_operation(operation)
        intent = Intent.objects.create(
            operation=operation,
            step=step.name,
            attempt=attempt,
            api=step.api,
            token=token,
            fencing_token=lease.token,
            timeout_seconds=step.apply_timeout,
            seen=digest(seen),
            created_at=clock.now(),
        )
    points.reach("intent.committed")
    return intent


def mark_sent(lease: Lease, operation: Operation, intent: Intent) -> None:
    """The last look at the lease before sending. An intent without this mark was certainly never sent."""
    with transaction.atomic():
        leases.write(lease, where=Q(state=operation.state))  # renews it: a full lease outlasts any call (engine.run._call)
        intent.sent_at = clock.now()
        intent.save(update_fields=["sent_at"])


def close(lease: Lease, operation: Operation, intent: Intent, outcome: IntentOutcome, *, done: Outcome | None = None, **error: str) -> None:
    """Commits the outcome of a call. Written even when the lease ran out during the call, as long as nobody took over."""
    progress: dict[str, Any] = {"attempts": 0} if outcome == IntentOutcome.SUCCEEDED else {}
    with transaction.atomic():
        leases.write(lease, even_if_expired=True, **progress)
        if done is not None:
            intent.reply = dict(done.reply)
        _end(intent, outcome, request_id=done.request_id if done else "", **error)
        if outcome != IntentOutcome.FAILED and operation.cluster:
            observing.poke_cluster(operation.cluster)
    points.reach("outcome.committed")


def settle(lease: Lease, intent: Intent, outcome: IntentOutcome, **error: str) -> None:
    """Commits what observing says of a call whose reply nobody got."""
    points.reach("settle.before")
    with transaction.atomic():
        leases.write(lease)
        _end(intent, outcome, **error)
    points.reach("settle.committed")


def _end(intent: Intent, outcome: IntentOutcome, *, request_id: str = "", error_code: str = "", error_message: str = "") -> None:
    intent.outcome = outcome
    intent.ended_at = clock.now()
    intent.request_id = (request_id or intent.request_id)[:200]
    intent.error_code = error_code[:120]
    intent.error_message = error_message
    intent.save(update_fields=["outcome", "ended_at", "request_id", "error_code", "error_message", "reply"])
