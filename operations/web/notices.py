"""Which notifications a person sees, and which of them still want attention."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from accounts.choices import Role
from accounts.principal import Principal
from operations import clock
from operations.choices import OperationState
from operations.models import Notification

UNDECIDED = (OperationState.AWAITING_APPROVAL, OperationState.UNKNOWN)


def _asked(principal: Principal) -> Q:
    """Questions to everybody of a role that the person has, about what is within the person's reach."""
    asked = Q(user=None, role__in=[role for role in Role if principal.role.covers(role)])
    return asked if principal.clusters is None else asked & Q(operation__cluster__in=principal.clusters)


def visible(principal: Principal) -> QuerySet[Notification]:
    """One's own and the questions to one's role, newest first."""
    return Notification.objects.filter(Q(user=principal.user) | _asked(principal)).select_related("operation").order_by("-id")


def unread(principal: Principal) -> QuerySet[Notification]:
    """One's own until dismissed; a question to a role until somebody decided, since one person's look must not hide it from others."""
    open_questions = _asked(principal) & Q(operation__state__in=UNDECIDED)
    return Notification.objects.filter(Q(user=principal.user, read_at=None) | open_questions)


def dismiss(principal: Principal, pk: int | None = None) -> int:
    """Mark one of one's own as seen, or all of them. Returns how many were unread."""
    rows = Notification.objects.filter(user=principal.user, read_at=None)
    return (rows if pk is None else rows.filter(pk=pk)).update(read_at=clock.now())
