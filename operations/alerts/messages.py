"""What webhooks are told: the messages, as rows to be delivered, written in the transaction of what they tell."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.conf import settings

from operations import clock
from operations.models import Alert, Delivery, Webhook

OPENED, CLOSED, TEST = "alert.opened", "alert.closed", "webhook.test"
MOST_BYTES = 16_000
"""The largest body: an alert's texts are cut before they come near it."""


def send_to_all(alert: Alert, event: str) -> None:
    """One message to each webhook that wants this kind."""
    for webhook in Webhook.objects.filter(enabled=True):
        if webhook.wants(alert.kind):
            queue(webhook, event, told(alert), alert)


def queue(webhook: Webhook, event: str, data: dict[str, Any], alert: Alert | None = None) -> Delivery:
    """The message to be sent, due at once."""
    at = clock.now()
    body = json.dumps({"type": event, "timestamp": at.isoformat(), "data": data}, separators=(",", ":"))
    if len(body.encode()) > MOST_BYTES:
        raise ValueError(f"a message of {len(body.encode())} bytes")
    return Delivery.objects.create(webhook=webhook, alert=alert, event=event, body=body, created_at=at, next_attempt_at=at)


def told(alert: Alert) -> dict[str, Any]:
    """The alert as receivers see it."""
    return {
        "id": alert.pk,
        "kind": str(alert.kind),
        "subject": alert.subject,
        "cluster": alert.cluster or None,
        "severity": str(alert.severity),
        "sentence": alert.sentence,
        "fix": alert.fix,
        "url": f"{settings.PUBLIC_URL}{alert.link}" if settings.PUBLIC_URL and alert.link else None,
        "opened_at": _time(alert.opened_at),
        "closed_at": _time(alert.closed_at),
    }


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
