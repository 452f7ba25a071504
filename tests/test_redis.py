"""With REDIS_URL set, Redis carries the tasks; operations end and live events arrive as without."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from redis import Redis
from websockets.sync.client import connect

from tests.conftest import Running

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.xdist_group("stack")]


def test_tasks_go_through_redis_and_not_through_the_database(running: Running) -> None:
    assert running.creation == "succeeded"
    with Redis.from_url(running.redis_url) as client:
        calls = {name: row["calls"] for name, row in client.info("commandstats").items()}
    assert calls["cmdstat_rpush"] > 20, "tasks enqueued"
    assert calls["cmdstat_blpop"] > 20, "tasks taken"
    with closing(sqlite3.connect(running.stack.choices.state_dir / "instantstart.sqlite3", timeout=20)) as database:
        assert database.execute("SELECT count(*) FROM django_q_ormq").fetchone() == (0,)


def test_a_live_event_arrives_while_an_operation_is_driven_to_its_end(running: Running) -> None:
    address = running.stack.url.replace("http://", "ws://") + "/ws/events/"
    with connect(address, additional_headers={"Authorization": f"Bearer {running.secret}"}, open_timeout=10) as socket:
        socket.send(json.dumps({"type": "subscribe", "topics": ["cluster:demo"], "after": 0}))
        while (last := json.loads(socket.recv(timeout=10)))["type"] != "subscribed":
            pass
        assert last["refused"] == []
        answer = running.api.call("PUT", "/clusters/demo/protection/", {"enabled": True})
        assert answer.status == 202, answer.body
        ended = running.api.get(f"/operations/{answer.body['id']}/?wait=25")
        assert ended["state"] == "succeeded"
        while True:
            event = json.loads(socket.recv(timeout=10))
            if event["type"] == "event" and event["id"] > last["last"]:
                break
    assert event["topic"] == "cluster:demo"
    assert running.api.get("/clusters/demo/")["deletion_protection"] is True
    back = running.api.call("PUT", "/clusters/demo/protection/", {"enabled": False})
    assert running.api.get(f"/operations/{back.body['id']}/?wait=25")["state"] == "succeeded"
