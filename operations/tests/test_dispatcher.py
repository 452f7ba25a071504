"""The dispatcher: what is due is offered once, oldest first, and never more than the queue has room for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.principal import Principal
from operations import queue
from operations.dispatcher import Dispatcher, Tick
from operations.models import Delivery, Heartbeat, ObservedSource, Operation
from operations.observing import ensure_source
from operations.submit import submit
from operations.tests.conftest import DrivenClock

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]


def ticked(dispatcher: Dispatcher) -> tuple[Tick, list[tuple[Any, ...]]]:
    tasks: list[tuple[Any, ...]] = []
    with queue.using(lambda *task: tasks.append(task)):
        tick = dispatcher.tick()
    return tick, tasks


def test_what_is_due_is_offered_once_with_its_token(begin: Begin) -> None:
    operation = begin()
    ensure_source("fake.thing", "demo", "demo")
    source = ObservedSource.objects.get()
    first, second = Dispatcher(name="one"), Dispatcher(name="two")
    assert ticked(first) == (
        Tick(1, 1, 0),
        [("operations.tasks.advance", str(operation.pk), 1), ("operations.tasks.observe", str(source.pk), 1)],
    )
    assert ticked(second) == (Tick(0, 0, 0), [])
    assert ticked(first) == (Tick(0, 0, 0), [])


def test_the_queue_never_gets_more_than_it_has_room_for_and_the_oldest_come_first(
    as_operator: Principal, driven_clock: DrivenClock
) -> None:
    made = []
    for number in range(12):
        driven_clock.forward(1)
        made.append(submit("fake.make", {"name": f"c{number}"}, as_operator, channel="api").operation)
    dispatcher = Dispatcher(name="one", room=5)
    _, tasks = ticked(dispatcher)
    assert [task[1] for task in tasks] == [str(operation.pk) for operation in made[:5] if operation]
    assert ticked(dispatcher)[0].operations == 0
    Operation.objects.filter(pk=tasks[0][1]).update(lease_owner="a worker")
    assert [task[1] for task in ticked(dispatcher)[1]] == [str(made[5].pk)] if made[5] else []


def test_a_tick_with_nothing_to_do_reads_once_for_each_kind_of_row_and_writes_nothing(begin: Begin) -> None:
    dispatcher = Dispatcher(name="one")
    ticked(dispatcher)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        ticked(dispatcher)
    assert len(queries) == 3
    assert all(query["sql"].startswith("SELECT") for query in queries)


def test_the_dispatchers_reads_use_the_indexes_made_for_them(begin: Begin) -> None:
    from operations import clock

    for model, index in ((Operation, "operation_due"), (ObservedSource, "observed_source_due"), (Delivery, "delivery_due")):
        rows = model._default_manager.filter(model.due(clock.now())).order_by(model.due_field).values_list("pk", "fencing_token")[:5]
        if connection.vendor == "sqlite":
            assert index in rows.explain()
        else:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL enable_seqscan = off")
            assert index in rows.explain()


def test_a_task_that_can_not_be_enqueued_leaves_its_row_free(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr("django_q.tasks.async_task", unreachable)
    operation = begin()
    assert Dispatcher(name="one").tick().operations == 0
    operation.refresh_from_db()
    assert (operation.lease_owner, operation.fencing_token) == ("", 2)


def test_a_dispatcher_shows_that_it_lives(driven_clock: DrivenClock) -> None:
    ticked(Dispatcher(name="one"))
    ticked(Dispatcher(name="two"))
    assert list(Heartbeat.objects.values_list("name", "at")) == [("one", driven_clock.at), ("two", driven_clock.at)]


def test_it_stops_when_told_and_waits_out_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    from django.db import OperationalError

    stop = threading.Event()
    ticks: list[int] = []

    class Flaky(Dispatcher):
        def tick(self, *, sources: bool = True) -> Tick:
            ticks.append(1)
            if len(ticks) == 1:
                raise OperationalError("gone away")
            stop.set()
            return Tick(0, 0, 0)

    waited: list[float | None] = []
    closed: list[str] = []
    monkeypatch.setattr("operations.dispatcher.close_old_connections", lambda: closed.append("closed"))
    monkeypatch.setattr(stop, "wait", lambda timeout=None: waited.append(timeout))
    Flaky(name="one").run(stop)
    assert (len(ticks), waited[0], closed) == (2, 1.0, ["closed"])
    assert not Heartbeat.objects.filter(name="one").exists()


def test_a_poked_source_is_offered_before_its_time(driven_clock: DrivenClock) -> None:
    from operations.observing import poke

    ensure_source("fake.thing", "demo", "demo")
    ObservedSource.objects.update(next_due_at=driven_clock.at + timedelta(hours=1))
    assert ticked(Dispatcher(name="one"))[0].sources == 0
    assert poke("fake.thing", "demo") is True
    assert poke("fake.thing", "nothing") is False
    assert ticked(Dispatcher(name="one"))[0].sources == 1
