"""Which topics a principal may follow, and which events of them it may see."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from accounts.principal import Principal
from accounts.reach import within_or_own
from operations.models import Operation, StatusEvent

LISTS = ("clusters", "operations", "alerts", "imports")
"""Topics about everything: what is out of a token's reach is left out event by event."""
MOST_TOPICS = 200


def allowed_topics(principal: Principal, wanted: Iterable[str]) -> set[str]:
    """Those of `wanted` that exist and that the principal may follow."""
    allowed = set()
    operations: dict[uuid.UUID, str] = {}
    for topic in wanted:
        kind, _, name = topic.partition(":")
        if topic in LISTS or (kind == "cluster" and name and principal.may_reach(name)):
            allowed.add(topic)
        elif kind == "operation" and (pk := _as_uuid(name)) is not None:
            operations[pk] = topic
    if operations:
        rows = within_or_own(Operation.objects.filter(pk__in=operations), principal)
        allowed |= {operations[pk] for pk in rows.values_list("pk", flat=True)}
    return allowed


def may_see(principal: Principal, event: StatusEvent) -> bool:
    """Whether an event of an allowed topic is within reach. Without a cluster's name in it, or an account's digits, who is limited does
    not see it."""
    if principal.clusters is None or event.topic not in LISTS:
        return True
    if principal.named is None and principal.accounts is not None and event.payload.get("account") in principal.accounts:
        return True
    cluster = event.payload.get("cluster") or (event.payload.get("name") if event.topic == "clusters" else None)
    return isinstance(cluster, str) and principal.may_reach(cluster)


def _as_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
