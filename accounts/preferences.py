"""The cluster that a user, or a token, prefers: nothing global."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import Preference
from accounts.principal import Principal


def preferred_cluster(principal: Principal) -> str:
    """Name of the preferred cluster, "" when none is. A token without a choice of its own takes its user's, when it may reach it."""
    choices = {row.token_id: row.cluster for row in Preference.objects.filter(user=principal.user)}
    chosen = choices.get(principal.token.pk) if principal.token else None
    name = chosen if chosen is not None else choices.get(None, "")
    return name if name and principal.may_reach(name) else ""


def prefer_cluster(principal: Principal, cluster: str) -> None:
    """Remember the choice for the token that asks, else for the user."""
    values: dict[str, Any] = {"user": principal.user, "token": principal.token}
    try:
        with transaction.atomic():
            Preference.objects.update_or_create(**values, defaults={"cluster": cluster})
    except IntegrityError:  # another request made the row between our look and our insert
        Preference.objects.filter(**values).update(cluster=cluster)


def forget_cluster(cluster: str) -> None:
    """The cluster is gone: nobody prefers it any more."""
    Preference.objects.filter(cluster=cluster).delete()
