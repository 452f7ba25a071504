"""The trail of changes: who changed what by which call, as CloudTrail tells it after a while. Bounded, kept over restarts."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.clock import Clock
    from sandbox.database import Database

_MAX = 50_000
_PRUNE_EVERY = 1_000


class Trail:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._added = 0

    def add(self, account: str, region: str, event: dict[str, Any]) -> None:
        """`event`: JSON that `sandbox.aws.cloudtrail.record` makes. It is told only after the time that CloudTrail takes."""
        now = self._clock.now()
        self._database.execute(
            "INSERT INTO trail (id, at, told_at, account, region, event) VALUES (?, ?, ?, ?, ?, ?)",
            (
                str(uuid.uuid4()),
                self._clock.wall(now),
                now + duration("cloudtrail.delivery"),
                account,
                region,
                json.dumps(event, separators=(",", ":"), default=str),
            ),
        )
        self._added += 1
        if self._added % _PRUNE_EVERY == 0:
            self._database.execute("DELETE FROM trail WHERE sequence <= (SELECT max(sequence) FROM trail) - ?", (_MAX,))

    def told(self, account: str, region: str, after: float, before: float) -> list[tuple[str, float, dict[str, Any]]]:
        """Id, moment (epoch seconds) and event of what is told by now, newest first; both bounds are included."""
        rows = self._database.execute(
            "SELECT id, at, event FROM trail WHERE account = ? AND region = ? AND told_at <= ? AND at >= ? AND at <= ? "
            "ORDER BY sequence DESC",
            (account, region, self._clock.now(), after, before),
        )
        return [(identifier, at, json.loads(event)) for identifier, at, event in rows]
