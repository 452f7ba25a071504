from __future__ import annotations

from pathlib import Path

import pytest
import time_machine

from sandbox.clock import Clock
from sandbox.database import Database

START = 1_800_000_000.0


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "clock.sqlite3")


def test_virtual_time_runs_at_the_speed(database: Database) -> None:
    with time_machine.travel(START, tick=False) as real:
        clock = Clock(database, speed=60)
        assert clock.now() == 0
        real.shift(10)
        assert clock.now() == 600


def test_a_change_of_speed_keeps_the_past(database: Database) -> None:
    with time_machine.travel(START, tick=False) as real:
        clock = Clock(database, speed=60)
        real.shift(10)
        clock.set_speed(1)
        real.shift(10)
        assert clock.now() == 610
        assert clock.wall(300) == START + 5
        assert clock.wall(605) == START + 15


def test_a_jump_happens_at_one_real_moment(database: Database) -> None:
    with time_machine.travel(START, tick=False) as real:
        clock = Clock(database, speed=1)
        real.shift(5)
        clock.fast_forward(1000)
        assert clock.now() == 1005
        assert clock.wall(500) == START + 5
        assert clock.wall(2) == START + 2
        real.shift(5)
        assert clock.now() == 1010
        assert clock.wall(1008) == START + 8


def test_no_moment_is_shown_in_the_future(database: Database) -> None:
    with time_machine.travel(START, tick=False):
        clock = Clock(database, speed=60)
        assert clock.wall(10_000) == START


def test_a_paused_clock_stands_still_and_goes_on(database: Database) -> None:
    with time_machine.travel(START, tick=False) as real:
        clock = Clock(database, speed=10)
        real.shift(1)
        clock.pause()
        real.shift(100)
        assert clock.now() == 10
        clock.resume()
        real.shift(1)
        assert clock.now() == 20
        assert clock.wall(15) == START + 101.5


def test_time_goes_on_while_the_sandbox_is_down(database: Database) -> None:
    with time_machine.travel(START, tick=False) as real:
        Clock(database, speed=60).fast_forward(100)
        real.shift(10)
        again = Clock(Database(database.path), speed=1)
        assert again.speed == 60
        assert again.now() == 700


def test_a_real_clock_that_is_set_back_does_not_take_virtual_time_with_it(database: Database) -> None:
    with time_machine.travel(START, tick=False) as real:
        clock = Clock(database, speed=1)
        real.shift(100)
        assert clock.now() == 100
        real.shift(-50)
        assert clock.now() == 100


def test_the_pinned_moment_ends_with_its_block(database: Database) -> None:
    with time_machine.travel(START, tick=False) as real:
        clock = Clock(database, speed=1)
        real.shift(50)
        with clock.pinned(20):
            assert clock.now() == 20
        assert clock.now() == 50


def test_thousands_of_jumps_stay_bounded_and_in_order(database: Database) -> None:
    with time_machine.travel(START, tick=False) as real:
        clock = Clock(database, speed=1)
        for _ in range(1000):
            real.shift(1)
            clock.fast_forward(1)
        assert clock.now() == 2000
        assert len(database.setting("clock")["corners"]) <= 401
        moments = [clock.wall(at) for at in range(0, 2001, 50)]
        assert moments == sorted(moments)


@pytest.mark.parametrize("speed", [0, -1, 100_001, float("nan")])
def test_an_impossible_speed_is_refused(database: Database, speed: float) -> None:
    with pytest.raises(ValueError, match="speed must be above 0"):
        Clock(database).set_speed(speed)


@pytest.mark.parametrize("seconds", [-1, float("inf"), float("nan")])
def test_time_does_not_go_back(database: Database, seconds: float) -> None:
    with pytest.raises(ValueError, match="fast_forward must be 0 or more"):
        Clock(database).fast_forward(seconds)
