"""Status events reach the sockets of those who may see them, within a second, without Redis."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import override_settings

from accounts.models import ApiToken
from instantstart.asgi import application
from instantstart.live import consumer, hub
from instantstart.tests.sockets import Socket
from operations import events

pytestmark = pytest.mark.django_db(transaction=True)
HOST = (b"host", b"testserver")
publish = database_sync_to_async(events.publish)


def socket(*headers: tuple[bytes, bytes]) -> Socket:
    return Socket(application, "/ws/events/", [HOST, *headers])


def bearer(secret: str) -> tuple[bytes, bytes]:
    return b"authorization", f"Bearer {secret}".encode()


async def open_and_subscribe(secret: str, topics: list[str], after: int = 0) -> tuple[Socket, Any]:
    opened = socket(bearer(secret))
    assert await opened.connect()
    await opened.say({"type": "subscribe", "topics": topics, "after": after})
    return opened, await opened.hear()


async def test_an_event_is_there_within_a_second_of_its_commit(operator, make_token):
    _, secret = await database_sync_to_async(make_token)(operator)
    opened, answer = await open_and_subscribe(secret, ["operations", "cluster:demo", "weather"])
    assert (answer["topics"], answer["refused"]) == (["cluster:demo", "operations"], ["weather"])
    for number in range(3):
        row = await publish("cluster:demo", "phase", {"cluster": "demo", "number": number})
        committed = time.monotonic()
        event = await opened.hear()
        assert time.monotonic() - committed < 1.0
        assert event == {
            "type": "event",
            "id": row.pk,
            "topic": "cluster:demo",
            "kind": "phase",
            "payload": {"cluster": "demo", "number": number},
            "at": row.at.isoformat(),
        }
    await publish("cluster:other", "phase", {"cluster": "other"})
    assert await opened.receive_nothing(timeout=0.6)
    await opened.leave()


async def test_a_token_limited_to_clusters_sees_nothing_of_others(operator, make_token):
    _, secret = await database_sync_to_async(make_token)(operator, clusters=["demo"])
    opened, answer = await open_and_subscribe(secret, ["operations", "clusters", "cluster:demo", "cluster:other"])
    assert (answer["topics"], answer["refused"]) == (["cluster:demo", "clusters", "operations"], ["cluster:other"])
    await publish("operations", "operation", {"cluster": "other"})
    await publish("operations", "operation", {"cluster": ""})
    await publish("clusters", "cluster", {"name": "other"})
    await publish("operations", "operation", {"cluster": "demo"})
    event = await opened.hear()
    assert (event["topic"], event["payload"]) == ("operations", {"cluster": "demo"})
    assert await opened.receive_nothing(timeout=0.6)
    await opened.leave()


async def test_what_came_while_the_socket_was_down_is_replayed_in_order(operator, make_token):
    _, secret = await database_sync_to_async(make_token)(operator)
    rows = [await publish("operations", "operation", {"number": number}) for number in range(4)]
    opened, answer = await open_and_subscribe(secret, ["operations"], after=rows[1].pk)
    assert answer["last"] == rows[3].pk
    assert [(await opened.hear())["id"] for _ in range(2)] == [rows[2].pk, rows[3].pk]
    await opened.leave()


async def test_who_missed_more_than_is_replayed_is_told(operator, make_token, monkeypatch):
    monkeypatch.setattr(consumer, "LONGEST_REPLAY", 2)
    _, secret = await database_sync_to_async(make_token)(operator)
    rows = [await publish("operations", "operation", {}) for _ in range(4)]
    opened, _ = await open_and_subscribe(secret, ["operations"], after=rows[0].pk)
    assert await opened.hear() == {"type": "missed"}
    await opened.leave()


@pytest.mark.parametrize(
    "headers", [(), ((b"authorization", b"Bearer nonsense"),), ((b"cookie", b"sessionid=nonsense"), (b"origin", b"http://testserver"))]
)
async def test_without_credentials_the_socket_closes_and_says_why(db, headers):
    opened = socket(*headers)
    assert await opened.connect()
    assert await opened.closed() == consumer.CLOSE_NOT_SIGNED_IN


@database_sync_to_async
def session_of(user: Any) -> bytes:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "accounts.backends.ThrottledBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"sessionid={session.session_key}".encode()


async def test_a_page_of_ours_may_open_a_socket_with_the_session_and_no_other_page_may(operator):
    cookie = (b"cookie", await session_of(operator))
    ours = socket(cookie, (b"origin", b"http://testserver"))
    assert await ours.connect()
    await ours.say({"type": "subscribe", "topics": ["clusters"]})
    assert (await ours.hear())["topics"] == ["clusters"]
    await ours.leave()
    for origin in (b"http://evil.example", b"null", b"http://testserver:81"):
        assert not await socket(cookie, (b"origin", origin)).connect()
    # Without an Origin it is no browser: the cookie does not count.
    program = socket(cookie)
    await program.connect()
    assert await program.closed() == consumer.CLOSE_NOT_SIGNED_IN


@override_settings(ALLOWED_HOSTS=["portal.example"])
async def test_a_host_name_bent_towards_us_opens_no_socket(operator):
    cookie = (b"cookie", await session_of(operator))
    bent = Socket(application, "/ws/events/", [(b"host", b"evil.example"), (b"origin", b"http://evil.example"), cookie])
    assert not await bent.connect()


async def test_a_revoked_token_loses_its_open_socket(operator, make_token, monkeypatch):
    monkeypatch.setattr(consumer, "LOOK_AT_RIGHTS_EVERY", 0.1)
    token, secret = await database_sync_to_async(make_token)(operator)
    opened, _ = await open_and_subscribe(secret, ["clusters"])
    await ApiToken.objects.filter(pk=token.pk).adelete()
    assert await opened.closed() == consumer.CLOSE_NOT_SIGNED_IN


@pytest.mark.parametrize(
    "message", ["{", "", "[" * 100_000, "[]", '{"type": "subscribe", "topics": "clusters"}', '{"type": "subscribe", "topics": [1]}']
)
async def test_a_message_that_makes_no_sense_closes_the_socket(operator, make_token, message):
    _, secret = await database_sync_to_async(make_token)(operator)
    opened = socket(bearer(secret))
    await opened.connect()
    await opened.say(message)
    assert await opened.closed() == consumer.CLOSE_BAD_MESSAGE


async def test_a_binary_message_closes_the_socket(operator, make_token):
    _, secret = await database_sync_to_async(make_token)(operator)
    opened = socket(bearer(secret))
    await opened.connect()
    await opened.send_input({"type": "websocket.receive", "bytes": b"{}"})
    assert await opened.closed() == consumer.CLOSE_BAD_MESSAGE


@pytest.mark.parametrize("path", ["/ws/nope/", "/ws/events", "/"])
async def test_a_socket_to_an_address_that_nobody_has_is_refused(db, path):
    assert not await Socket(application, path, [HOST]).connect()


async def test_viewers_share_one_tail_that_ends_with_the_last(operator, make_token):
    _, secret = await database_sync_to_async(make_token)(operator)
    one, _ = await open_and_subscribe(secret, ["operations"])
    other, _ = await open_and_subscribe(secret, ["operations"])
    tails = [task for task in asyncio.all_tasks() if task.get_name() == "status events"]
    assert len(tails) == 1
    await publish("operations", "operation", {"number": 1})
    events_seen = [await viewer.hear() for viewer in (one, other)]
    assert events_seen[0] == events_seen[1]
    await one.leave()
    assert not tails[0].done()
    await other.leave()
    await asyncio.sleep(0)
    assert tails[0].cancelled() or tails[0].cancelling()
    assert hub.current_hub()._task is None
