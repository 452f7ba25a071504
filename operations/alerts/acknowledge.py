"""alert.acknowledge: somebody knows of it."""

from __future__ import annotations

from django.db import transaction

from accounts import audit
from accounts.actions.refusal import refuse
from accounts.choices import Role
from accounts.principal import Principal
from operations import clock
from operations.alerts import telling
from operations.models import Alert
from operations.models.alert import AlertKind
from operations.permission import permit

KIND = "alert.acknowledge"
UNWATCHED = (AlertKind.OPERATION_FAILED,)
"""Kinds that nothing looks at again: to know of one is to close it."""


def acknowledge(principal: Principal, alert: Alert, *, channel: str) -> Alert:
    """Note who knows of an open alert; one that nothing watches is closed by it. Once noted, or closed, it stays as it is.

    Problem 403 when the role or the token is too weak for it.
    """
    subject = f"alert:{alert.pk}"
    with refuse(KIND, principal, channel, subject):
        permit(principal, Role.OPERATOR, "Acknowledge an alert", alert.cluster)
    with transaction.atomic():
        at, who = clock.now(), principal.user.get_username()
        noted = Alert.objects.filter(pk=alert.pk, closed_at=None, acknowledged_at=None).update(acknowledged_at=at, acknowledged_by=who)
        alert.refresh_from_db()
        if noted:
            audit.record(KIND, principal=principal, channel=channel, subject=subject, detail=str(alert)[:500])
            if alert.kind in UNWATCHED:
                telling.close(alert)
            else:
                telling.publish(alert)
    return alert
