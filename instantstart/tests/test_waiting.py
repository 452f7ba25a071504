"""`?wait=`: answered when the operation ends, and no thread is held meanwhile."""

from __future__ import annotations

import asyncio
import time

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async

from instantstart.asgi import application
from instantstart.tests.test_reading import make_operations
from operations.api import wait
from operations.choices import OperationState
from operations.models import Operation

pytestmark = pytest.mark.django_db(transaction=True)


async def get(path: str, query: str, secret: str) -> tuple[int, bytes]:
    """Status and body as the ASGI server would send them."""
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"host", b"testserver"), (b"authorization", f"Bearer {secret}".encode())],
    }
    call = ApplicationCommunicator(application, scope)
    await call.send_input({"type": "http.request", "body": b"", "more_body": False})
    head = await call.receive_output(timeout=30)
    body = await call.receive_output(timeout=30)
    return head["status"], body["body"]


def one(state: OperationState) -> Operation:
    (row,) = make_operations(1)
    Operation.objects.filter(pk=row.pk).update(state=state)
    return row


@pytest.fixture
def secret(operator, make_token):
    return make_token(operator)[1]


async def test_the_answer_comes_when_the_operation_ends_and_shows_its_end(secret):
    row = await database_sync_to_async(one)(OperationState.RUNNING)
    answer = asyncio.create_task(get(f"/api/v1/operations/{row.pk}/", "wait=25&fields=state", secret))
    done, _ = await asyncio.wait([answer], timeout=0.7)
    assert not done
    await Operation.objects.filter(pk=row.pk).aupdate(state=OperationState.SUCCEEDED)
    assert await asyncio.wait_for(answer, 5) == (200, b'{"state":"succeeded"}')


async def test_an_operation_that_waits_for_a_person_is_answered_at_once(secret, monkeypatch):
    row = await database_sync_to_async(one)(OperationState.AWAITING_APPROVAL)

    async def never(self):
        raise AssertionError("it was waited for")

    monkeypatch.setattr(wait.Endings, "_look", never)
    assert await get(f"/api/v1/operations/{row.pk}/", "wait=25&fields=state", secret) == (200, b'{"state":"awaiting_approval"}')
    assert wait._current_endings()._waiting == {}


async def test_thirty_waiters_are_served_by_one_look_at_a_time(secret, monkeypatch):
    row = await database_sync_to_async(one)(OperationState.RUNNING)
    looks = []

    def count(operations):
        looks.append(operations)
        return still_active(operations)

    still_active = wait.still_active
    answers = [asyncio.create_task(get(f"/api/v1/operations/{row.pk}/", "wait=25&fields=state", secret)) for _ in range(30)]
    while len(wait._current_endings()._waiting.get(row.pk, ())) < 30:  # noqa: ASYNC110  (there is nothing to be told by)
        await asyncio.sleep(0.01)
    monkeypatch.setattr(wait, "still_active", count)
    done, _ = await asyncio.wait(answers, timeout=1.1)
    assert not done
    assert 1 <= len(looks) <= 5
    await Operation.objects.filter(pk=row.pk).aupdate(state=OperationState.FAILED)
    assert set(await asyncio.wait_for(asyncio.gather(*answers), 15)) == {(200, b'{"state":"failed"}')}
    assert wait._current_endings()._task is None


@pytest.mark.parametrize("state", [OperationState.SUCCEEDED, OperationState.UNKNOWN])
async def test_what_does_not_go_on_by_itself_is_answered_at_once(secret, state):
    row = await database_sync_to_async(one)(state)
    began = time.monotonic()
    status, _ = await get(f"/api/v1/operations/{row.pk}/", "wait=25", secret)
    assert status == 200 and time.monotonic() - began < 3


def test_patience_that_ends_first_is_answered_with_the_state_so_far(operator, api):
    row = one(OperationState.RUNNING)
    answer = api(operator).get(f"/api/v1/operations/{row.pk}/?wait=0.3&fields=state")
    assert (answer.status_code, answer.json()) == (200, {"state": "running"})


@pytest.mark.parametrize("seconds", ["26", "-1", "soon", "nan"])
def test_an_impossible_wait_is_refused(operator, api, seconds):
    row = one(OperationState.RUNNING)
    answer = api(operator).get(f"/api/v1/operations/{row.pk}/?wait={seconds}")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "wait")


def test_who_may_not_see_the_operation_does_not_wait_for_it(operator, api):
    row = one(OperationState.RUNNING)
    began = time.monotonic()
    assert api().get(f"/api/v1/operations/{row.pk}/?wait=25").status_code == 401
    assert api(operator, clusters=["other"]).get(f"/api/v1/operations/{row.pk}/?wait=25").status_code == 404
    assert time.monotonic() - began < 3
