"""The WebSocket of status events.

A client says `{"type": "subscribe", "topics": [...], "after": 0}`; it is told `{"type": "subscribed", "topics": [...], "refused": [...],
"last": id}` and then gets `{"type": "event", "id", "topic", "kind", "payload", "at"}` in order. `after` replays what came since that id;
`{"type": "missed"}` means that there was more than is replayed or than the client took: read the pages or the API again.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from accounts.api.authentication import SCHEMES, find_token
from accounts.models import User
from accounts.principal import Principal
from accounts.principals import principal_for
from instantstart import strict_json
from instantstart.live.hub import current_hub
from instantstart.live.topics import MOST_TOPICS, allowed_topics, may_see
from operations import events
from operations.models import StatusEvent

LONGEST_REPLAY = 500
LONGEST_BACKLOG = 1000
"""Events that may wait for a slow client before it is told that it missed some."""
LOOK_AT_RIGHTS_EVERY = 30.0
"""Seconds: a revoked token or a user shut out loses an open socket as soon."""
CLOSE_NOT_SIGNED_IN = 4401
CLOSE_BAD_MESSAGE = 4400


class EventConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """One viewer."""

    async def connect(self) -> None:
        self.topics: set[str] = set()
        self.backlog: asyncio.Queue[StatusEvent] = asyncio.Queue(LONGEST_BACKLOG)
        self.missed = False
        self.tasks: list[asyncio.Task[None]] = []
        principal = await database_sync_to_async(self._principal)()
        await self.accept()
        if principal is None:
            # Refused only after accepting: a browser tells its page nothing of a refused handshake.
            await self.close(CLOSE_NOT_SIGNED_IN)
            return
        self.principal: Principal = principal
        await current_hub().join(self._take)
        self.tasks = [asyncio.create_task(self._send_backlog()), asyncio.create_task(self._watch_rights())]

    async def disconnect(self, code: int) -> None:
        current_hub().leave(self._take)
        for task in self.tasks:
            task.cancel()

    async def receive_json(self, content: Any, **kwargs: Any) -> None:
        wanted: Any = content.get("topics") if isinstance(content, dict) and content.get("type") == "subscribe" else None
        after = content.get("after", 0) if isinstance(content, dict) else 0
        well_formed = isinstance(wanted, list) and len(wanted) <= MOST_TOPICS and all(isinstance(topic, str) for topic in wanted)
        if not well_formed or not isinstance(after, int):
            await self.close(CLOSE_BAD_MESSAGE)
            return
        await self._subscribe(wanted, after)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        if not text_data:
            await self.close(CLOSE_BAD_MESSAGE)  # Channels raises for binary and for empty frames
            return
        await super().receive(text_data=text_data, **kwargs)

    @classmethod
    async def decode_json(cls, text_data: str) -> Any:
        try:
            return strict_json.loads(text_data)
        except ValueError:
            return None

    async def _subscribe(self, wanted: list[str], after: int) -> None:
        self.topics = await database_sync_to_async(allowed_topics)(self.principal, wanted)
        last = await database_sync_to_async(events.latest_id)()
        refused = sorted(set(wanted) - self.topics)
        await self.send_json({"type": "subscribed", "topics": sorted(self.topics), "refused": refused, "last": last})
        if 0 < after < last:
            await self._replay(after)

    async def _replay(self, after: int) -> None:
        """What came since. An event may be sent twice, by this and by the hub, never not at all."""
        rows = await database_sync_to_async(_since)(after, self.topics)
        if len(rows) > LONGEST_REPLAY:
            await self.send_json({"type": "missed"})
            return
        for row in rows:
            await self._show(row)

    def _take(self, rows: list[StatusEvent]) -> None:
        """Called by the hub; never waits."""
        for row in rows:
            if row.topic not in self.topics:
                continue
            try:
                self.backlog.put_nowait(row)
            except asyncio.QueueFull:
                self.missed = True
                return

    async def _send_backlog(self) -> None:
        while True:
            await self._show(await self.backlog.get())
            if self.missed and self.backlog.empty():
                self.missed = False
                await self.send_json({"type": "missed"})

    async def _show(self, row: StatusEvent) -> None:
        if not may_see(self.principal, row):
            return
        await self.send_json(
            {"type": "event", "id": row.pk, "topic": row.topic, "kind": row.kind, "payload": row.payload, "at": row.at.isoformat()}
        )

    async def _watch_rights(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AT_RIGHTS_EVERY)
            principal = await database_sync_to_async(self._principal)()
            if principal is None:
                await self.close(CLOSE_NOT_SIGNED_IN)
                return
            self.principal = principal
            self.topics = await database_sync_to_async(allowed_topics)(principal, self.topics)

    def _principal(self) -> Principal | None:
        """Who this is, by the Authorization header or else by the session, as it stands in the database now."""
        header = dict(self.scope["headers"]).get(b"authorization", b"")
        if header:
            scheme, _, secret = header.partition(b" ")
            token = find_token(secret.strip().decode("utf-8", errors="replace")) if scheme.lower() in SCHEMES else None
            return principal_for(token.user, token) if token is not None else None
        session = self.scope.get("session")
        if session is None or not session.session_key:
            return None
        request = HttpRequest()
        # A fresh look: the session in the scope is as old as the socket.
        request.session = import_module(settings.SESSION_ENGINE).SessionStore(session.session_key)
        user = get_user(request)
        return principal_for(user) if isinstance(user, User) and user.is_active else None


def _since(after: int, topics: set[str]) -> list[StatusEvent]:
    return list(StatusEvent.objects.filter(id__gt=after, topic__in=topics).order_by("id")[: LONGEST_REPLAY + 1])
