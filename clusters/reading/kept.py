"""Readings that one look leaves for the next, so that many clusters fit into one account's rate limit.

A stack's resources change only when the stack does: while its state and time of last update are the same, they are not
listed again. The rest is read at every look as long as the rate limit has room for that. Where it has not
(operations.pace.spare_seconds), what nothing hints at having changed may wait so long; what is shown of it carries the
time it was read. It is read at once when anything hints at a change: a state that is not at rest, HyperPod's counts, a
node or a pod that is not ready, an operation on the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

STACK_RESOURCES = "stack_resources"
ADDONS = "addons"
NODE_GROUPS = "node_groups"
INSTANCES = "instances"
EVENTS = "events"
IDENTITIES = "identities"
IDENTITIES_SECONDS = 300.0
"""Roles and pod identities of managed features move only by people's hands and our own operations: a look reads them this seldom."""


@dataclass(frozen=True)
class Kept:
    """body: JSON. read_at: when the look that read it began."""

    body: Any
    read_at: datetime


@dataclass
class Keeper:
    """earlier: what the last looks left, by source. spare: seconds that a reading at rest may be left unread; 0: none may.

    fresh: what this look read, to be kept. used: the sources that this look did not read again, and when they were read.
    """

    now: datetime
    spare: float = 0.0
    earlier: Mapping[str, Kept] = field(default_factory=dict)
    busy: bool = False
    """Whether an operation on a managed feature runs: then its roles are read at every look."""
    fresh: dict[str, Kept] = field(default_factory=dict)
    used: dict[str, datetime] = field(default_factory=dict)

    def young(self, source: str) -> Kept | None:
        """The earlier reading, if it may stand for now as far as its age goes."""
        kept = self.earlier.get(source)
        return kept if kept is not None and 0 <= (self.now - kept.read_at).total_seconds() < self.spare else None

    def identities(self) -> Kept | None:
        """The earlier reading of roles, if it may stand for now."""
        kept = self.earlier.get(IDENTITIES)
        young = kept is not None and 0 <= (self.now - kept.read_at).total_seconds() < IDENTITIES_SECONDS
        return kept if young and not self.busy else None

    def keep(self, source: str, body: Any) -> None:
        """This look read it."""
        self.used.pop(source, None)
        self.fresh[source] = Kept(body, self.now)

    def amend(self, source: str, body: Any, read_at: datetime) -> None:
        """This look read a part of it; the rest is as old as before."""
        self.fresh[source] = Kept(body, read_at)

    def as_of(self, *sources: str) -> datetime | None:
        """When the oldest of these was read; None when this look read all of them."""
        return min((self.used[source] for source in sources if source in self.used), default=None)
