"""Every resource ever made: by which request, when, and when it was gone. Tests look for duplicates and orphans here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandbox.clock import Clock
from sandbox.database import Database

_MAX_GONE = 200_000  # resources that are gone; what exists is never forgotten
_PRUNE_EVERY = 1_000


@dataclass(frozen=True)
class Cause:
    """Why something changes: the request at work."""

    request_id: str = ""
    operation: str = ""  # "ec2:CreateVpc"
    source: str = "service"  # "api" | "cloudformation" | "service"


class Ledger:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._deaths = 0
        self.cause = Cause()

    def born(self, kind: str, scope: str, key: str) -> None:
        cause = self.cause
        self._database.execute(
            "INSERT INTO ledger (kind, scope, id, created_by, operation, source, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (kind, scope, key, cause.request_id, cause.operation, cause.source, self._clock.wall(self._clock.now())),
        )

    def gone(self, kind: str, scope: str, key: str) -> None:
        self._database.execute(
            "UPDATE ledger SET gone_at = ?, gone_by = ?, gone_operation = ? WHERE kind = ? AND scope = ? AND id = ? AND gone_at IS NULL",
            (self._clock.wall(self._clock.now()), self.cause.request_id, self.cause.operation, kind, scope, key),
        )
        self._deaths += 1
        if self._deaths % _PRUNE_EVERY == 0:
            self._database.execute(
                "DELETE FROM ledger WHERE gone_at IS NOT NULL AND sequence <= "
                "(SELECT sequence FROM ledger WHERE gone_at IS NOT NULL ORDER BY sequence DESC LIMIT 1 OFFSET ?)",
                (_MAX_GONE,),
            )

    def entries(self, since: int = 0, limit: int = 1000, kind: str = "", alive: bool | None = None) -> list[dict[str, Any]]:
        """Entries after sequence number `since`, oldest first."""
        sql, parameters = "SELECT * FROM ledger WHERE sequence > ?", [since]
        values: list[Any] = list(parameters)
        if kind:
            sql += " AND kind = ?"
            values.append(kind)
        if alive is not None:
            sql += " AND gone_at IS NULL" if alive else " AND gone_at IS NOT NULL"
        cursor = self._database.execute(sql + " ORDER BY sequence LIMIT ?", (*values, limit))
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]
