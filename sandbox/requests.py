"""The log of AWS calls: who asked what and what was answered, never a secret. Bounded, kept over restarts."""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

from sandbox.database import Database

_MAX = 50_000
_PRUNE_EVERY = 1_000


class RequestLog:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._added = 0

    def add(
        self,
        *,
        request_id: str,
        service: str,
        operation: str,
        principal: str,
        digest: str,
        status: int,
        code: str = "",
        fault: str = "",
        account: str = "",
        region: str = "",
    ) -> None:
        """`status` is 0 when no reply was sent, `code` the error's or "", `fault` the kind of the fault that struck."""
        self._database.execute(
            "INSERT INTO request (id, at, service, operation, principal, digest, status, code, fault, account, region) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (request_id, time.time(), service, operation, principal, digest, status, code, fault, account, region),
        )
        self._added += 1
        if self._added % _PRUNE_EVERY == 0:
            self._database.execute("DELETE FROM request WHERE sequence <= (SELECT max(sequence) FROM request) - ?", (_MAX,))

    def entries(self, since: int = 0, limit: int = 1000, service: str = "", operation: str = "") -> list[dict[str, Any]]:
        """Entries after sequence number `since`, oldest first."""
        sql, values = "SELECT * FROM request WHERE sequence > ?", [since]
        parameters: list[Any] = [*values]
        for name, value in (("service", service), ("operation", operation)):
            if value:
                sql += f" AND {name} = ?"
                parameters.append(value)
        cursor = self._database.execute(sql + " ORDER BY sequence LIMIT ?", (*parameters, limit))
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def digest_of(params: Any) -> str:
    """A short fingerprint of a call's parameters: equal calls have equal ones, and nothing can be read from it."""
    return hashlib.sha256(json.dumps(params, sort_keys=True, default=_plain).encode()).hexdigest()[:16]


def _plain(value: Any) -> str:
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else str(value)
