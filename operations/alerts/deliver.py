"""Sending one message: at least once, under the same id each time, until it is taken or given up."""

from __future__ import annotations

import random
import uuid
from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import F

from operations import clock, leases
from operations.alerts import post, sealed
from operations.models import Delivery, Webhook
from operations.models.webhook import DeliveryStatus

log = structlog.get_logger(__name__)

DELAYS = (5, 30, 120, 600, 1800, 7200, 18000, 36000)
"""Seconds to wait after the first, second … attempt that failed; after the last of them one more attempt is made."""
GONE = 410
"""The receiver's word that it wants no more."""


def deliver(delivery_id: str, fencing_token: int) -> None:
    """Task: one attempt, if the token is still good. Delivered again it does nothing."""
    lease = leases.claim(Delivery, uuid.UUID(delivery_id), fencing_token)
    if lease is None:
        return
    row = Delivery.objects.filter(lease.held()).select_related("webhook").first()
    if row is None:
        return
    try:
        _attempt(lease, row)
    except leases.LeaseLost:
        log.info("delivery_overtaken", delivery=delivery_id)


def _attempt(lease: leases.Lease, row: Delivery) -> None:
    if not row.webhook.enabled:
        _free(lease, status=DeliveryStatus.DROPPED, next_attempt_at=None, error="The webhook was turned off.")
        return
    if row.attempts > len(DELAYS):  # workers died over it, each time
        _free(lease, status=DeliveryStatus.FAILED, next_attempt_at=None, error=f"Given up after {row.attempts} attempts.")
        return
    at = clock.now()
    leases.write(lease, attempts=F("attempts") + 1, last_attempt_at=at)  # before: a death on the way counts as an attempt
    row.attempts += 1
    answer: post.Answer | None = None
    try:
        answer = post.post(row.webhook.url, _headers(row, int(at.timestamp())), row.body.encode())
        error = "" if 200 <= answer.status < 300 else _refusal(answer.status)
    except post.NotDelivered as trouble:
        error = str(trouble)
    except sealed.Unreadable:
        error = "The webhook's secret was sealed under another key of this installation: make a new one."
    _settle(lease, row, answer, error)


def _headers(row: Delivery, timestamp: int) -> dict[str, str]:
    secret = sealed.open_(row.webhook.secret)
    return {
        "Content-Type": "application/json",
        "User-Agent": "InstantStart-Webhooks/1",
        "Connection": "close",
        "Webhook-Id": row.message_id,
        "Webhook-Timestamp": str(timestamp),
        "Webhook-Signature": sealed.signature(secret, row.message_id, timestamp, row.body),
    }


def _refusal(status: int) -> str:
    if 300 <= status < 400:
        return f"It answered {status}: redirects are not followed."
    return f"It answered {status}."


def _wait(attempts: int, asked: float | None) -> float:
    """Seconds until the next attempt: our own pace, or longer where the receiver asks for it, but no longer than we ever wait."""
    own = DELAYS[attempts - 1] * random.uniform(1.0, 1.25)  # noqa: S311  (spreads load, keeps no secret)
    return max(own, min(asked or 0.0, DELAYS[-1]))


def _settle(lease: leases.Lease, row: Delivery, answer: post.Answer | None, error: str) -> None:
    at = clock.now()
    status = answer.status if answer is not None else None
    if not error:
        _free(lease, status=DeliveryStatus.DELIVERED, next_attempt_at=None, answer_status=status, error="", delivered_at=at)
    elif status == GONE:
        with transaction.atomic():
            _free(lease, status=DeliveryStatus.FAILED, next_attempt_at=None, answer_status=status, error=error)
            Webhook.objects.filter(pk=row.webhook_id).update(enabled=False, disabled_because="It answered 410: it wants no more messages.")
    elif row.attempts > len(DELAYS):
        error = f"{error} Given up after {row.attempts} attempts."
        _free(lease, status=DeliveryStatus.FAILED, next_attempt_at=None, answer_status=status, error=error[:500])
    else:
        wait = _wait(row.attempts, answer.retry_after if answer is not None else None)
        _free(lease, next_attempt_at=at + timedelta(seconds=wait), answer_status=status, error=error[:500])
    log.info("webhook_attempt", delivery=str(row.pk), webhook=str(row.webhook_id), attempt=row.attempts, status=status, failed=bool(error))


def _free(lease: leases.Lease, **fields: Any) -> None:
    """Gives the row back. Raises LeaseLost: what happened is then for who has it now to find out."""
    if not Delivery.objects.filter(lease.held()).update(**fields, lease_owner="", lease_expires_at=None):
        raise leases.LeaseLost
