"""Short calls share the threads of a pool; what is on them is theirs alone."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest
from channels.db import database_sync_to_async

from accounts.api import views
from instantstart.api import request_id
from instantstart.tests.test_waiting import get

pytestmark = pytest.mark.django_db(transaction=True)


async def test_short_calls_run_on_the_pools_threads_each_with_its_own_request(operator, viewer, make_token, monkeypatch):
    seen: list[tuple[str, str, str]] = []

    def note(principal):
        time.sleep(0.02)  # so that calls overlap
        seen.append((threading.current_thread().name, principal.user.username, request_id.current().id))
        return ""

    monkeypatch.setattr(views, "preferred_cluster", note)
    secrets = [(await database_sync_to_async(make_token)(user))[1] for user in (operator, viewer)]
    answers = await asyncio.gather(*(get("/api/v1/me/", "", secrets[number % 2]) for number in range(40)))
    assert [json.loads(body)["username"] for _, body in answers] == ["operator", "viewer"] * 20
    assert {name.partition("_")[0] for name, _, _ in seen} == {"web"}
    assert len({name for name, _, _ in seen}) > 1
    assert len({identity for _, _, identity in seen}) == 40
