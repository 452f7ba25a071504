"""The one SQLite file of a sandbox: transactions that also undo what was changed in memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SCHEMA = """
CREATE TABLE IF NOT EXISTS object (
    position INTEGER PRIMARY KEY, kind TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    UNIQUE (kind, scope, key)
);
CREATE TABLE IF NOT EXISTS ledger (
    sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, scope TEXT NOT NULL, id TEXT NOT NULL,
    created_by TEXT NOT NULL, operation TEXT NOT NULL, source TEXT NOT NULL,
    created_at REAL NOT NULL, gone_at REAL, gone_by TEXT, gone_operation TEXT
);
CREATE INDEX IF NOT EXISTS ledger_alive ON ledger (kind, scope, id) WHERE gone_at IS NULL;
CREATE TABLE IF NOT EXISTS agenda (
    sequence INTEGER PRIMARY KEY, at REAL NOT NULL, name TEXT NOT NULL, payload TEXT NOT NULL, cause TEXT NOT NULL,
    background INTEGER NOT NULL, error TEXT
);
CREATE TABLE IF NOT EXISTS request (
    sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, at REAL NOT NULL, service TEXT NOT NULL, operation TEXT NOT NULL,
    principal TEXT NOT NULL, digest TEXT NOT NULL, status INTEGER NOT NULL, code TEXT NOT NULL, fault TEXT NOT NULL,
    account TEXT NOT NULL, region TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS trail (
    sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, at REAL NOT NULL, told_at REAL NOT NULL, account TEXT NOT NULL, region TEXT NOT NULL,
    event TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class Database:
    """Everything that must survive a kill -9. Used from the event loop's thread only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # check_same_thread: tests build a World in one thread and serve it from another; there is never more than one user.
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_SCHEMA)
        self._depth = 0
        self._undo: list[Callable[[], None]] = []
        self._after: list[Callable[[], None]] = []

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        return self._connection.execute(sql, parameters)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, on disk and in memory; nested ones are savepoints, so a failed inner call undoes only itself."""
        depth, mark, mark_after = self._depth, len(self._undo), len(self._after)
        self.execute("BEGIN IMMEDIATE" if depth == 0 else f"SAVEPOINT level_{depth}")
        self._depth += 1
        try:
            yield
        except BaseException:
            self._depth = depth
            self.execute("ROLLBACK" if depth == 0 else f"ROLLBACK TO level_{depth}")
            if depth:
                self.execute(f"RELEASE level_{depth}")
            while len(self._undo) > mark:
                self._undo.pop()()
            del self._after[mark_after:]
            raise
        self._depth = depth
        self.execute("COMMIT" if depth == 0 else f"RELEASE level_{depth}")
        if depth == 0:
            self._undo.clear()
            after, self._after = self._after, []
            for step in after:
                step()

    def on_undo(self, step: Callable[[], None]) -> None:
        """Run `step` if the transaction under way fails. Outside a transaction there is nothing to undo."""
        if self._depth:
            self._undo.append(step)

    def on_commit(self, step: Callable[[], None]) -> None:
        """Run `step` once the transaction under way is on disk, at once if there is none."""
        if self._depth:
            self._after.append(step)
        else:
            step()

    def setting(self, name: str) -> Any:
        """A stored JSON value, None when there is none."""
        row = self.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set_setting(self, name: str, value: Any) -> None:
        self.execute(
            "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, json.dumps(value)),
        )

    def clear(self) -> None:
        """Forget everything except the settings."""
        with self.transaction():
            for table in ("object", "ledger", "agenda", "request", "trail"):
                self.execute(f"DELETE FROM {table}")  # noqa: S608 - the names are ours

    def close(self) -> None:
        self._connection.close()
