"""Events to come, by virtual time: persisted, run in order, each with the clock pinned to its own moment.

So there are no threads, and a restart or a jump of the clock gives the same history as waiting would have.
"""

from __future__ import annotations

import heapq
import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sandbox.database import Database

if TYPE_CHECKING:
    from sandbox.aws.context import Context

log = logging.getLogger(__name__)

Payload = dict[str, Any]
AgendaHandler = Callable[["Context", Payload], None]

_handlers: dict[str, AgendaHandler] = {}


def agenda_handler(name: str) -> Callable[[AgendaHandler], AgendaHandler]:
    """`@agenda_handler("cloudformation.advance") def advance(context, payload)`: runs in a transaction of its own."""

    def decorate(handler: AgendaHandler) -> AgendaHandler:
        if name in _handlers:
            raise RuntimeError(f"two agenda handlers for {name}")
        _handlers[name] = handler
        return handler

    return decorate


def handler_of(name: str) -> AgendaHandler | None:
    return _handlers.get(name)


@dataclass(frozen=True)
class Origin:
    """For whom an event runs; becomes its Context."""

    account: str = ""  # "" is the sandbox's default account, and region
    region: str = ""
    principal: dict[str, str] = field(default_factory=dict)  # Principal's fields; {} is AWS itself
    request_id: str = ""
    service: str = ""
    operation: str = ""
    source: str = "service"


@dataclass(frozen=True)
class Item:
    at: float
    sequence: int
    name: str
    payload: Payload
    origin: Origin
    background: bool


class Agenda:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._items: dict[int, Item] = {}
        self._heap: list[tuple[float, int]] = []
        self._sequence = 0
        self.load()

    def load(self) -> None:
        self._items, self._heap = {}, []
        for sequence, at, name, payload, cause, background in self._database.execute(
            "SELECT sequence, at, name, payload, cause, background FROM agenda WHERE error IS NULL ORDER BY sequence"
        ):
            self._insert(Item(at, sequence, name, json.loads(payload), Origin(**json.loads(cause)), bool(background)))
        row = self._database.execute("SELECT max(sequence) FROM agenda").fetchone()
        self._sequence = row[0] or 0

    def add(self, at: float, name: str, payload: Payload, *, origin: Origin | None = None, background: bool = False) -> int:
        """Run handler `name` at virtual second `at` (at once if that is past). Returns an id for `cancel`.

        Without an `origin` it runs for the default account and region: handlers use `context.schedule`, which gives their own.
        `background` items recur for ever and do not keep the world from being settled.
        """
        self._sequence += 1
        item = Item(float(at), self._sequence, name, json.loads(json.dumps(payload)), origin or Origin(), background)
        self._database.execute(
            "INSERT INTO agenda (sequence, at, name, payload, cause, background) VALUES (?, ?, ?, ?, ?, ?)",
            (item.sequence, item.at, name, json.dumps(payload), json.dumps(asdict(item.origin)), int(background)),
        )
        self._insert(item)
        self._database.on_undo(lambda: self._forget(item.sequence))
        return item.sequence

    def cancel(self, sequence: int) -> bool:
        """Whether it was still to come."""
        item = self._items.get(sequence)
        if item is None:
            return False
        self._database.execute("DELETE FROM agenda WHERE sequence = ?", (sequence,))
        self._forget(sequence)
        self._database.on_undo(lambda: self._insert(item))
        return True

    def move(self, item: Item, at: float) -> None:
        """Put off an event that is still to come."""
        self._database.execute("UPDATE agenda SET at = ? WHERE sequence = ?", (at, item.sequence))
        self._insert(replace(item, at=at))
        self._database.on_undo(lambda: self._insert(item))

    def fail(self, item: Item, error: str) -> None:
        """Keep an event whose handler broke, with the reason: it is not run again and `/_sandbox/status` shows it."""
        if self._items.get(item.sequence) is None:
            return
        self._database.execute("UPDATE agenda SET error = ? WHERE sequence = ?", (error, item.sequence))
        self._forget(item.sequence)

    def failures(self) -> list[dict[str, Any]]:
        rows = self._database.execute("SELECT at, name, payload, error FROM agenda WHERE error IS NOT NULL ORDER BY sequence LIMIT 100")
        return [{"at": at, "name": name, "payload": json.loads(payload), "error": error} for at, name, payload, error in rows]

    def pending(self, name: str = "") -> list[Item]:
        """Events to come, soonest first."""
        return sorted((item for item in self._items.values() if not name or item.name == name), key=lambda item: (item.at, item.sequence))

    def first(self) -> Item | None:
        while self._heap:
            item = self._items.get(self._heap[0][1])
            if item is not None and item.at == self._heap[0][0]:
                return item
            heapq.heappop(self._heap)
        return None

    def upcoming(self, background: bool = False) -> float | None:
        """Virtual moment of the next event; those in the background only when asked."""
        return min((item.at for item in self._items.values() if background or not item.background), default=None)

    def _insert(self, item: Item) -> None:
        self._items[item.sequence] = item
        heapq.heappush(self._heap, (item.at, item.sequence))

    def _forget(self, sequence: int) -> None:
        self._items.pop(sequence, None)
