"""Writing the audit trail: who, by which door and token, what, and what was refused."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet

from accounts.choices import AuditOutcome
from accounts.models import AuditEntry, User
from accounts.principal import Principal
from instantstart.api import request_id


def visible(rows: QuerySet[AuditEntry], principal: Principal) -> QuerySet[AuditEntry]:
    """All; for who is limited, what was about their clusters."""
    if principal.clusters is None:
        return rows
    return rows.filter(subject__in=[f"cluster:{name}" for name in principal.clusters])


def record(
    action: str,
    *,
    principal: Principal | None,
    channel: str = "",
    subject: str = "",
    outcome: AuditOutcome = AuditOutcome.ACCEPTED,
    code: str = "",
    detail: str = "",
    operation: uuid.UUID | None = None,
    username: str = "",
) -> AuditEntry:
    """Write one entry. Request id and address come from the request that is being answered, if one is.

    channel: the door; that of the request when left out. Call it inside the transaction of the change for `accepted`, outside any
    transaction that will be rolled back for `refused`.
    username: for tries without a principal (a failed sign-in).
    """
    user: User | None = principal.user if principal else None
    token = principal.token if principal else None
    current = request_id.current()
    return AuditEntry.objects.create(
        user=user if user is not None and user.pk else None,
        username=(user.get_username() if user else username)[:150],
        token_name=token.name if token else "",
        channel=channel or current.channel_of(principal is not None and principal.agent),
        action=action[:128],
        subject=subject[:255],
        outcome=outcome,
        code=code[:64],
        detail=detail,
        operation=operation,
        request_id=current.id,
        remote_addr=current.address,
    )
