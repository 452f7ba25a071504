"""Notifications as rows: written in the transaction of what they tell."""

from __future__ import annotations

from accounts.choices import Role
from operations import clock
from operations.choices import OperationState
from operations.models import Notification, Operation
from operations.models.notification import NotificationKind


def operation_ended(operation: Operation) -> None:
    """Tells the actor how an operation of theirs ended; children speak through their parent."""
    if operation.parent_id is not None or operation.actor_id is None:
        return
    Notification.objects.create(
        kind=NotificationKind.OPERATION_ENDED,
        user_id=operation.actor_id,
        operation=operation,
        title=f"{operation.title} ({operation.subject}): {OperationState(operation.state).label.lower()}",
        message=operation.error_message or operation.message,
        created_at=clock.now(),
    )


def approval_asked(operation: Operation, permission: Role) -> None:
    """Asks everybody who may carry out the action."""
    Notification.objects.create(
        kind=NotificationKind.APPROVAL_ASKED,
        role=permission,
        operation=operation,
        title=f"Approve? {operation.title} ({operation.subject})",
        message=str(operation.plan.get("summary", "")),
        created_at=clock.now(),
    )


def plan_changed(operation: Operation) -> None:
    """While it waited the world moved: the question of those who may decide is put anew, and who asked is told."""
    summary = str(operation.plan.get("summary", ""))
    at = clock.now()
    Notification.objects.filter(operation=operation, kind=NotificationKind.APPROVAL_ASKED).update(
        title=f"Approve? {operation.title} ({operation.subject}), with another plan",
        message=f"The world has changed since it was asked: look at the plan as it is now. {summary}",
        created_at=at,
    )
    if operation.actor_id is not None:
        Notification.objects.create(
            kind=NotificationKind.PLAN_CHANGED,
            user_id=operation.actor_id,
            operation=operation,
            title=f"{operation.title} ({operation.subject}): asked again with another plan",
            message=f"The world has changed while it waited for approval. {summary}",
            created_at=at,
        )


def decision_asked(operation: Operation, permission: Role) -> None:
    """Asks everybody who may, to say how an operation of unknown outcome ended."""
    Notification.objects.create(
        kind=NotificationKind.DECISION_ASKED,
        role=permission,
        operation=operation,
        title=f"What happened? {operation.title} ({operation.subject})",
        message=operation.error_message,
        created_at=clock.now(),
    )
