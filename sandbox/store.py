"""Resources by (kind, scope, key): read from memory, written through to SQLite.

Values are kept as JSON text, so what a caller gets is always its own copy and a value that would not survive a restart is refused
when it is put. A kind that starts with "_" is bookkeeping and has no line in the ledger.
"""

from __future__ import annotations

import json
from typing import Any

from sandbox import timeline
from sandbox.database import Database
from sandbox.ledger import Ledger

Value = dict[str, Any]
Keys = list[str]  # names of their own: inside Store, `list` is a method
Items = list[tuple[str, Value]]


class Store:
    def __init__(self, database: Database, ledger: Ledger) -> None:
        self._database = database
        self._ledger = ledger
        self._buckets: dict[tuple[str, str], dict[str, tuple[int, str]]] = {}
        self._timelines: dict[tuple[str, str, str], timeline.Timeline] = {}
        self._position = 0
        self.version = 0  # changes with every put and delete: lets loops see at no cost that nothing happened
        self.load()

    def load(self) -> None:
        """Take everything from disk."""
        self._buckets, self._timelines, self._position = {}, {}, 0
        for position, kind, scope, key, text in self._database.execute(
            "SELECT position, kind, scope, key, value FROM object ORDER BY position"
        ):
            self._buckets.setdefault((kind, scope), {})[key] = (position, text)
            self._position = position
            self._note_timeline(kind, scope, key, json.loads(text))

    def put(self, kind: str, scope: str, key: str, value: Value) -> None:
        text = _encode(kind, key, value)
        bucket = self._buckets.setdefault((kind, scope), {})
        before = bucket.get(key)
        if before is None:
            self._position += 1
            position = self._position
        else:
            position = before[0]
        with self._database.transaction():
            self._database.execute(
                "INSERT INTO object (position, kind, scope, key, value) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (kind, scope, key) DO UPDATE SET value = excluded.value",
                (position, kind, scope, key, text),
            )
            if before is None and not kind.startswith("_"):
                self._ledger.born(kind, scope, key)
            self._set(kind, scope, key, (position, text))
            self._note_timeline(kind, scope, key, value)
            self._database.on_undo(lambda: self._restore(kind, scope, key, before))

    def get(self, kind: str, scope: str, key: str) -> Value | None:
        entry = self._buckets.get((kind, scope), {}).get(key)
        return None if entry is None else _decode(entry[1])

    def list(self, kind: str, scope: str) -> list[Value]:
        """All values of a kind in a scope, in the order they were first put."""
        return [_decode(text) for _, text in self._buckets.get((kind, scope), {}).values()]

    def keys(self, kind: str, scope: str) -> Keys:
        return [*self._buckets.get((kind, scope), {})]

    def items(self, kind: str, scope: str) -> Items:
        return [(key, _decode(text)) for key, (_, text) in self._buckets.get((kind, scope), {}).items()]

    def count(self, kind: str, scope: str) -> int:
        return len(self._buckets.get((kind, scope), {}))

    def scopes(self, kind: str) -> Keys:
        """Scopes that hold at least one value of the kind."""
        return sorted(scope for (name, scope), bucket in self._buckets.items() if name == kind and bucket)

    def kinds(self) -> Keys:
        return sorted({kind for (kind, _), bucket in self._buckets.items() if bucket})

    def delete(self, kind: str, scope: str, key: str) -> bool:
        """Whether there was one."""
        before = self._buckets.get((kind, scope), {}).get(key)
        if before is None:
            return False
        with self._database.transaction():
            self._database.execute("DELETE FROM object WHERE kind = ? AND scope = ? AND key = ?", (kind, scope, key))
            if not kind.startswith("_"):
                self._ledger.gone(kind, scope, key)
            self._set(kind, scope, key, None)
            self._database.on_undo(lambda: self._restore(kind, scope, key, before))
        return True

    def upcoming(self, now: float) -> float | None:
        """The next virtual moment after `now` at which some resource's status changes by its timeline."""
        moments = []
        for where, line in [*self._timelines.items()]:
            moment = timeline.upcoming(line, now)
            if moment is None:
                del self._timelines[where]
            else:
                moments.append(moment)
        return min(moments, default=None)

    def _set(self, kind: str, scope: str, key: str, entry: tuple[int, str] | None) -> None:
        bucket = self._buckets.setdefault((kind, scope), {})
        self.version += 1
        if entry is None:
            bucket.pop(key, None)
            self._timelines.pop((kind, scope, key), None)
        else:
            bucket[key] = entry

    def _restore(self, kind: str, scope: str, key: str, entry: tuple[int, str] | None) -> None:
        self._set(kind, scope, key, entry)
        if entry is not None:
            bucket = self._buckets[kind, scope]
            # a value that comes back after a failed delete goes to its old place
            self._buckets[kind, scope] = dict(sorted(bucket.items(), key=lambda item: item[1][0]))
            self._note_timeline(kind, scope, key, _decode(entry[1]))

    def _note_timeline(self, kind: str, scope: str, key: str, value: Value) -> None:
        line = value.get("timeline")
        if isinstance(line, list) and line:
            self._timelines[kind, scope, key] = [[*moment] for moment in line]
        else:
            self._timelines.pop((kind, scope, key), None)


def _encode(kind: str, key: str, value: Value) -> str:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise TypeError(f"{kind} {key} holds a value that JSON cannot keep ({error}); store times as epoch seconds") from error


def _decode(text: str) -> Value:
    value: Value = json.loads(text)
    return value
