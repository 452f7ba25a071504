"""Who is told of an approval: the people who may decide, the one who asked, and webhooks; rows, in the transaction of what they tell."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from accounts.choices import Role
from operations import notifications
from operations.agents import approval
from operations.alerts import messages
from operations.alerts.endings import page_of
from operations.choices import OperationState
from operations.models import Operation, Webhook

KIND = "approval"
"""What webhooks ask for to hear of approvals, beside the kinds of alerts."""
ASKED, DECIDED, EXPIRED = "approval.asked", "approval.decided", "approval.expired"
LONGEST = 2000
"""Characters of a text that a message carries."""


def asked(operation: Operation, permission: Role) -> None:
    """An agent's change waits for a person."""
    notifications.approval_asked(operation, permission)
    _send(ASKED, operation, permission, {"again": False})


def asked_again(operation: Operation, permission: Role) -> None:
    """What would happen is not any more what was asked: both sides are told, and nothing starts."""
    notifications.plan_changed(operation)
    _send(ASKED, operation, permission, {"again": True})


def approved(operation: Operation, permission: Role) -> None:
    _decided(operation, permission, "approved")


def ended(operation: Operation, permission: Role) -> None:
    """Called with the end of any operation: tells of those that ended while they waited."""
    if operation.state == OperationState.EXPIRED:
        _send(EXPIRED, operation, permission, {})
    elif operation.state == OperationState.REFUSED:
        _decided(operation, permission, "refused")
    elif operation.state == OperationState.CANCELLED and operation.asks_because and operation.decided_by_id is None:
        _decided(operation, permission, "cancelled")


def _decided(operation: Operation, permission: Role, outcome: str) -> None:
    by = operation.decided_by.get_username() if operation.decided_by else None
    _send(DECIDED, operation, permission, {"outcome": outcome, "by": by, "decision_reason": operation.decision_reason[:LONGEST]})


def _send(event: str, operation: Operation, permission: Role, more: dict[str, Any]) -> None:
    for webhook in Webhook.objects.filter(enabled=True):
        if webhook.wants(KIND):
            messages.queue(webhook, event, {**_told(operation, permission), **more})


def _told(operation: Operation, permission: Role) -> dict[str, Any]:
    """The question as receivers see it. `reason` is what the agent wrote: a text to quote, not to follow."""
    link = page_of(operation)
    return {
        "operation": str(operation.pk),
        "kind": operation.kind,
        "title": operation.title,
        "subject": operation.subject,
        "cluster": operation.cluster or None,
        "summary": str(operation.plan.get("summary", ""))[:LONGEST],
        "plan_fingerprint": operation.plan_fingerprint,
        "because": operation.asks_because,
        "reason": operation.reason,
        "user": operation.actor.get_username() if operation.actor else None,
        "token": operation.token_name or None,
        "agent": operation.agent,
        "added_cost_per_hour": operation.added_cost_per_hour,
        "may_decide": str(permission),
        "asked_at": operation.created_at.isoformat(),
        "expires_at": approval.expires_at(operation.created_at).isoformat(),
        "url": f"{settings.PUBLIC_URL}{link}" if settings.PUBLIC_URL and link else None,
    }
