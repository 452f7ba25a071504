"""What the product's database says, read beside it: the web server may be dead at the moment."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True)
class Journal:
    """The SQLite file of a running product."""

    path: Path

    def _read(self, sql: str, *values: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=20)) as reader:
            return reader.execute(sql, values).fetchall()

    def state(self, operation: str) -> str:
        [(state,)] = self._read("SELECT state FROM operations_operation WHERE id = ?", operation.replace("-", ""))
        return state

    def progress(self) -> tuple[str, ...]:
        """Changes with every step that begins, waits or ends, and with what AWS has made of it so far."""
        rows = self._read("SELECT kind, steps, waiting_for FROM operations_operation ORDER BY created_at")
        ended = [step["name"] for _, steps, _ in rows for step in json.loads(steps) if step["state"] == "ready"]
        return (str(len(rows)), *ended, *(waiting for _, _, waiting in rows if "can't" not in waiting))

    def faults(self) -> str:
        """Why operations failed, for a test's message."""
        rows = self._read("SELECT kind, state, step, error_code, error_message, waiting_for FROM operations_operation ORDER BY created_at")
        return "\n".join(" | ".join(row) for row in rows)

    def skip_leases_of(self, dead: list[int]) -> None:
        """As if the leases of dead workers had run out: nobody renews them. What their calls may still take is waited for."""
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        with closing(sqlite3.connect(self.path, timeout=20, isolation_level=None)) as writer:
            for table in ("operations_operation", "operations_observedsource"):
                for pid in dead:
                    writer.execute(f"UPDATE {table} SET lease_expires_at = ? WHERE lease_owner LIKE ?", (now, f"%:{pid}:%"))  # noqa: S608
                # A queue that died took its offers along.
                writer.execute(f"UPDATE {table} SET lease_expires_at = ? WHERE lease_owner = 'offered'", (now,))  # noqa: S608
