"""Rows for tests."""

from __future__ import annotations

from operations import clock
from operations.alerts import messages, sealed
from operations.models import Alert, Webhook
from operations.models.alert import AlertKind, AlertSeverity


def make_alert(subject: str = "cluster:demo", *, cluster: str = "demo", open: bool = True) -> Alert:
    at = clock.now()
    return Alert.objects.create(
        kind=AlertKind.DRIFT,
        subject=subject,
        cluster=cluster,
        severity=AlertSeverity.WARNING,
        sentence="It differs.",
        opened_at=at,
        changed_at=at,
        closed_at=None if open else at,
    )


def make_webhook(url: str = "https://example.com/hook") -> Webhook:
    return Webhook.objects.create(url=url, secret=sealed.seal(sealed.new()), created_by="admin", created_at=clock.now())


def make_deliveries(webhook: Webhook, count: int) -> None:
    for _ in range(count):
        messages.queue(webhook, messages.TEST, {})
