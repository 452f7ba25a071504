"""Nothing grows without bound: the audit trail, old tokens, sign-in tries and kept answers go when their time is up."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from accounts.limits import WINDOW as USED_WITHIN
from accounts.models import ApiToken, AuditEntry, SignInAttempt, TokenUse
from accounts.sign_in import WINDOW
from instantstart.models import IdempotencyRecord

BATCH = 500
EXPIRED_TOKENS_KEPT = dt.timedelta(days=30)
"""So that who wonders why a token stopped still sees it in the list."""


def prune_daily() -> int:
    """Audit entries older than RETENTION_DAYS, tokens long expired. How many rows went."""
    now = timezone.now()
    entries = AuditEntry.objects.filter(at__lt=now - dt.timedelta(days=settings.RETENTION_DAYS))
    tokens = ApiToken.objects.filter(expiry__lt=now - EXPIRED_TOKENS_KEPT)
    return _delete_in_batches(entries) + _delete_in_batches(tokens)


def prune_hourly() -> int:
    """Sign-in tries and uses of tokens that no limit looks at any more, answers older than IDEMPOTENCY_HOURS. How many rows went."""
    now = timezone.now()
    attempts = SignInAttempt.objects.filter(at__lt=now - WINDOW)
    answers = IdempotencyRecord.objects.filter(created_at__lt=now - dt.timedelta(hours=max(24, settings.IDEMPOTENCY_HOURS)))
    uses = TokenUse.objects.filter(at__lt=now - USED_WITHIN)
    return _delete_in_batches(attempts) + _delete_in_batches(answers) + _delete_in_batches(uses)


def _delete_in_batches(rows: QuerySet[Any]) -> int:
    """Short transactions: one batch each."""
    total = 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        rows.model._default_manager.filter(pk__in=keys).delete()
        total += len(keys)
    return total
