from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sandbox import agenda as agenda_module
from sandbox.agenda import agenda_handler
from sandbox.aws.context import Context
from sandbox.timeline import begin, ends, status, upcoming
from sandbox.world import World

ran: list[tuple[str, float, float]] = []


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    ran.clear()
    before = dict(agenda_module._handlers)

    @agenda_handler("test.note")
    def note(context: Context, payload: dict[str, Any]) -> None:
        ran.append((payload["name"], context.now, context.timestamp))
        context.world.store.put("test.note", context.scope, payload["name"], {"at": context.now})
        if payload.get("then"):
            context.schedule(context.now + payload["then"], "test.note", {"name": payload["name"] + "'"})

    @agenda_handler("test.broken")
    def broken(context: Context, payload: dict[str, Any]) -> None:
        context.world.store.put("test.note", context.scope, "half", {})
        raise ZeroDivisionError("broken on purpose")

    yield
    agenda_module._handlers.clear()
    agenda_module._handlers.update(before)


def test_events_run_in_order_each_at_its_own_moment(world: World) -> None:
    start = world.clock.now()
    for at, name in ((30, "c"), (10, "a"), (20, "b")):
        world.agenda.add(start + at, "test.note", {"name": name})
    world.fast_forward(25)
    assert [(name, now - start) for name, now, _ in ran] == [("a", 10), ("b", 20)]
    world.fast_forward(25)
    assert [name for name, _, _ in ran] == ["a", "b", "c"]
    assert world.settle() == 0


def test_an_event_of_an_event_runs_in_the_same_jump(world: World) -> None:
    start = world.clock.now()
    world.agenda.add(start + 10, "test.note", {"name": "a", "then": 15})
    world.agenda.add(start + 20, "test.note", {"name": "b"})
    world.fast_forward(100)
    assert [(name, now - start) for name, now, _ in ran] == [("a", 10), ("b", 20), ("a'", 25)]


def test_no_event_shows_a_time_in_the_future(world: World) -> None:
    import time

    world.agenda.add(world.clock.now() + 5000, "test.note", {"name": "a"})
    world.fast_forward(6000)
    assert ran[0][2] <= time.time()


def test_events_survive_a_restart(world: World) -> None:
    start = world.clock.now()
    world.agenda.add(start + 10, "test.note", {"name": "a"})
    folder = world.settings.state_dir
    world.close()
    again = World(folder)
    again.fast_forward(20)
    assert [(name, now - start) for name, now, _ in ran] == [("a", 10)]
    again.close()
    third = World(folder)
    assert third.settle() == 0
    third.close()


def test_a_broken_event_is_set_aside_whole_and_the_others_run(world: World) -> None:
    start = world.clock.now()
    world.agenda.add(start + 1, "test.broken", {"x": 1})
    world.agenda.add(start + 2, "test.note", {"name": "a"})
    world.agenda.add(start + 3, "test.unheard-of", {})
    world.fast_forward(5)
    assert [name for name, _, _ in ran] == ["a"]
    assert world.store.keys("test.note", f"{world.settings.account}/{world.settings.region}") == ["a"]
    failures = world.agenda.failures()
    assert [failure["name"] for failure in failures] == ["test.broken", "test.unheard-of"]
    assert "broken on purpose" in failures[0]["error"]
    assert world.agenda.pending() == []


def test_a_cancelled_event_does_not_run(world: World) -> None:
    event = world.agenda.add(world.clock.now() + 1, "test.note", {"name": "a"})
    assert world.agenda.cancel(event) is True
    assert world.agenda.cancel(event) is False
    world.fast_forward(5)
    assert ran == []


def test_next_jumps_to_one_change_and_settled_to_the_last(world: World) -> None:
    start = world.clock.now()
    world.agenda.add(start + 100, "test.note", {"name": "a"})
    world.store.put("x.y", "s", "k", {"timeline": begin(start, ("CREATING", 40), ("NEARLY", 200), "ACTIVE")})
    assert world.fast_forward("next") == pytest.approx(40, abs=0.01)
    assert ran == []
    assert world.fast_forward("settled") == pytest.approx(200, abs=0.01)
    assert [name for name, _, _ in ran] == ["a"]
    assert world.next_moment() is None
    assert world.fast_forward("next") == 0


def test_what_recurs_in_the_background_does_not_keep_the_world_unsettled(world: World) -> None:
    world.agenda.add(world.clock.now() + 5, "test.note", {"name": "a"}, background=True)
    assert world.fast_forward("settled") == 0
    assert ran == []


def test_what_recurs_is_caught_up_for_a_day_at_most(world: World) -> None:
    start = world.clock.now()

    @agenda_handler("test.recur")
    def recur(context: Context, payload: dict[str, Any]) -> None:
        ran.append(("recur", context.now, 0))
        context.schedule(context.now + 3600, "test.recur", {}, background=True)

    world.agenda.add(start + 3600, "test.recur", {}, background=True)
    world.agenda.add(start + 9_000, "test.note", {"name": "a"})
    world.fast_forward(30 * 86_400)
    moments = [now - start for _, now, _ in ran]
    assert moments == sorted(moments)
    assert [name for name, _, _ in ran] == ["a", *["recur"] * 25]
    assert moments[1] == pytest.approx(29 * 86_400)


def test_a_timeline_tells_its_status_at_any_moment() -> None:
    line = begin(100, ("CREATING", 50), "ACTIVE")
    assert [status(line, at) for at in (0, 100, 149.9, 150, 1e9)] == ["CREATING", "CREATING", "CREATING", "ACTIVE", "ACTIVE"]
    assert (ends(line), upcoming(line, 100), upcoming(line, 150)) == (150, 150, None)
