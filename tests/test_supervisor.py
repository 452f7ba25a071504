"""The process runner: restarts with a growing delay, cleans up behind what died, and takes its children along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from instantstart import supervisor
from instantstart.supervisor import Part, Supervisor, expand, read_procfile

ROOT = Path(__file__).resolve().parents[1]


class Clock:
    """Stands in for `time` in the supervisor; moved by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def monotonic(self) -> float:
        return self.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(supervisor, "time", clock)
    return clock


def part(folder: Path, script: str, *, restart: bool = True) -> Part:
    return Part("part", ["/bin/sh", "-c", script], dict(os.environ), folder / "part.log", folder, restart=restart)


def ended(one: Part) -> None:
    assert one.process is not None
    one.process.wait(10)


def alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not done():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_part_that_dies_is_started_again_after_a_delay_that_grows_to_ten_seconds(tmp_path: Path, clock: Clock) -> None:
    one = part(tmp_path, "echo started; exit 3")
    runner = Supervisor()
    runner.add(one)
    for delay in (0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0):
        ended(one)
        assert runner.check() == []
        assert one.due == clock.at + delay
        clock.at += delay - 0.01
        runner.check()
        assert not one.running and one.due is not None, "too early"
        clock.at += 0.01
        runner.check()
        assert one.due is None
    ended(one)
    assert one.log.read_text() == "started\n" * 8


def test_a_part_that_ran_for_long_is_started_again_with_the_first_delay(tmp_path: Path, clock: Clock) -> None:
    one = part(tmp_path, "exit 0")
    one.delay = 8.0
    Supervisor().add(one)
    ended(one)
    clock.at += supervisor.STEADY_SECONDS + 1
    runner = Supervisor([one])
    runner.check()
    assert one.due == clock.at + supervisor.RESTART_FIRST


def test_what_a_dead_part_left_in_its_session_is_ended_before_the_restart(tmp_path: Path) -> None:
    one = part(tmp_path, "sleep 60 & echo $! > left; exit 1")
    runner = Supervisor()
    runner.add(one)
    ended(one)
    left = int((tmp_path / "left").read_text())
    assert alive(left)
    runner.check()
    wait(lambda: not alive(left))


def test_a_part_that_is_not_to_be_restarted_is_named(tmp_path: Path) -> None:
    one = part(tmp_path, "echo first; echo last", restart=False)
    runner = Supervisor()
    runner.add(one)
    ended(one)
    assert runner.check() == [one]
    assert one.last_lines(1) == "last"
    assert runner.check() == [one]


def test_stopping_asks_first_and_kills_what_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 0.5)
    polite = part(tmp_path, "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done")
    deaf = Part("deaf", ["/bin/sh", "-c", "trap '' TERM; echo ready; sleep 60"], dict(os.environ), tmp_path / "deaf.log", tmp_path)
    runner = Supervisor()
    for one in (polite, deaf):
        runner.add(one)
        wait(lambda one=one: "ready" in one.last_lines())  # type: ignore[misc]
    runner.stop()
    assert polite.process is not None and polite.process.returncode == 0
    assert polite.last_lines(1) == "bye"
    assert deaf.process is not None and deaf.process.returncode == -signal.SIGKILL


PARENT = """
import os, sys, time
from pathlib import Path
from instantstart.supervisor import Part, Supervisor
folder = Path(sys.argv[1])
runner = Supervisor()
one = runner.add(Part("child", ["sleep", "60"], dict(os.environ), folder / "child.log", folder))
print(one.process.pid, flush=True)
time.sleep(60)
"""


def test_the_parts_end_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert alive(child)
    parent.kill()
    parent.wait(10)
    wait(lambda: not alive(child))


def test_a_procfile_command_becomes_an_argument_list(tmp_path: Path) -> None:
    (tmp_path / "Procfile").write_text(
        "# a comment\nweb: uvicorn app --port ${PORT:-3099} --host ${HOST:-127.0.0.1}\n\necho: echo 'a b' ;\n"
    )
    commands = read_procfile(tmp_path / "Procfile")
    assert list(commands) == ["web", "echo"]
    uvicorn = str(Path(sys.executable).parent / "uvicorn")
    assert expand(commands["web"], {"PORT": "1234", "HOST": ""}) == [uvicorn, "app", "--port", "1234", "--host", "127.0.0.1"]
    assert expand(commands["echo"], {}) == ["echo", "a b", ";"], "no shell"
