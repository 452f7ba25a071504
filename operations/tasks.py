"""The functions that django-q2's workers run, by path. All are harmless when delivered twice, late or out of order."""

from __future__ import annotations


def advance(operation_id: str, fencing_token: int) -> None:
    from operations.engine import advance as run

    run(operation_id, fencing_token)


def observe(source_id: str, fencing_token: int) -> None:
    from operations.observing import observe as run

    run(int(source_id), fencing_token)


def deliver(delivery_id: str, fencing_token: int) -> None:
    from operations.alerts.deliver import deliver as run

    run(delivery_id, fencing_token)


def prune_hourly() -> dict[str, int]:
    from accounts import retention as accounts
    from operations.retention import prune_shown_plans, prune_status_events

    return {"status_events": prune_status_events(), "shown_plans": prune_shown_plans(), "accounts": accounts.prune_hourly()}


def prune_daily() -> dict[str, int]:
    from accounts import retention as accounts
    from operations.retention import prune_alerts, prune_heartbeats, prune_notifications, prune_operations

    return {
        "operations": prune_operations(),
        "notifications": prune_notifications(),
        "heartbeats": prune_heartbeats(),
        "alerts": prune_alerts(),
        "accounts": accounts.prune_daily(),
    }
