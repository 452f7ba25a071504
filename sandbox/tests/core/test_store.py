from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.world import StateFolderBusy, World


def test_what_is_put_survives_a_restart_in_its_order(world: World) -> None:
    for key in ("b", "a", "c"):
        world.store.put("x.y", "s", key, {"key": key})
    world.store.put("x.y", "s", "a", {"key": "a", "changed": True})
    folder = world.settings.state_dir
    world.close()
    again = World(folder)
    assert again.store.list("x.y", "s") == [{"key": "b"}, {"key": "a", "changed": True}, {"key": "c"}]
    assert again.store.keys("x.y", "s") == ["b", "a", "c"]
    again.close()


def test_a_value_that_was_got_is_a_copy(world: World) -> None:
    world.store.put("x.y", "s", "k", {"list": [1]})
    value = world.store.get("x.y", "s", "k")
    assert value is not None
    value["list"].append(2)
    assert world.store.get("x.y", "s", "k") == {"list": [1]}


def test_a_value_that_json_cannot_keep_is_refused(world: World) -> None:
    with pytest.raises(TypeError, match=r"x\.y k holds a value that JSON cannot keep"):
        world.store.put("x.y", "s", "k", {"bytes": b""})
    assert world.store.get("x.y", "s", "k") is None


def test_a_failed_transaction_leaves_nothing(world: World) -> None:
    world.store.put("x.y", "s", "old", {"n": 1})
    world.store.put("x.y", "s", "later", {"n": 2})
    with pytest.raises(ZeroDivisionError), world.database.transaction():
        world.store.put("x.y", "s", "new", {})
        world.store.put("x.y", "s", "later", {"n": 3})
        world.store.delete("x.y", "s", "old")
        world.agenda.add(0, "nobody", {})
        raise ZeroDivisionError
    assert world.store.items("x.y", "s") == [("old", {"n": 1}), ("later", {"n": 2})]
    assert world.agenda.pending() == []
    assert [entry["id"] for entry in world.ledger.entries(kind="x.y")] == ["old", "later"]
    assert all(entry["gone_at"] is None for entry in world.ledger.entries(kind="x.y"))


def test_a_failed_inner_call_undoes_only_itself(world: World) -> None:
    with world.database.transaction():
        world.store.put("x.y", "s", "outer", {})
        with pytest.raises(ZeroDivisionError), world.database.transaction():
            world.store.put("x.y", "s", "inner", {})
            raise ZeroDivisionError
        world.store.put("x.y", "s", "after", {})
    assert world.store.keys("x.y", "s") == ["outer", "after"]
    folder = world.settings.state_dir
    world.close()
    again = World(folder)
    assert again.store.keys("x.y", "s") == ["outer", "after"]
    again.close()


def test_steps_for_after_the_commit_run_once_and_not_after_a_failure(world: World) -> None:
    ran: list[str] = []
    with world.database.transaction():
        world.database.on_commit(lambda: ran.append("outer"))
        with pytest.raises(ZeroDivisionError), world.database.transaction():
            world.database.on_commit(lambda: ran.append("inner"))
            raise ZeroDivisionError
        assert ran == []
    with world.database.transaction():
        pass
    assert ran == ["outer"]


def test_the_ledger_notes_birth_and_end_of_each_resource_once(world: World) -> None:
    world.store.put("x.y", "s", "k", {})
    world.store.put("x.y", "s", "k", {"again": 1})
    world.store.put("_x.hidden", "s", "k", {})
    assert world.store.delete("x.y", "s", "k") is True
    assert world.store.delete("x.y", "s", "k") is False
    world.store.put("x.y", "s", "k", {})
    entries = world.ledger.entries(kind="x.y")
    assert [(entry["id"], entry["gone_at"] is None) for entry in entries] == [("k", False), ("k", True)]
    assert world.ledger.entries(kind="_x.hidden") == []
    assert [entry["id"] for entry in world.ledger.entries(kind="x.y", alive=True)] == ["k"]


def test_the_ledger_is_read_in_pages(world: World) -> None:
    for number in range(5):
        world.store.put("x.y", "s", str(number), {})
    first = world.ledger.entries(limit=2, kind="x.y")
    rest = world.ledger.entries(since=first[-1]["sequence"], kind="x.y")
    assert [entry["id"] for entry in (*first, *rest)] == ["0", "1", "2", "3", "4"]


def test_a_second_sandbox_on_the_same_folder_is_refused(world: World) -> None:
    with pytest.raises(StateFolderBusy, match=r"Another sandbox works on .*choose another --state-dir"):
        World(world.settings.state_dir)


def test_a_reset_empties_everything_and_keeps_the_account(world: World) -> None:
    world.store.put("x.y", "s", "k", {})
    world.faults.add({"kind": "throttle"})
    world.agenda.add(50, "nobody", {})
    world.clock.fast_forward(10)
    world.reset()
    assert world.store.list("x.y", "s") == []
    assert world.faults.list() == []
    assert world.ledger.entries(kind="x.y") == []
    assert world.identity.key("AKIASANDBOX0000000") is not None
    assert world.clock.now() < 5


def test_settings_are_those_of_the_first_start(tmp_path: Path) -> None:
    World(tmp_path, speed=7, account="210987654321", region="us-east-2").close()
    again = World(tmp_path)
    assert (again.settings.account, again.settings.region, again.clock.speed) == ("210987654321", "us-east-2", 7)
    again.close()
