"""Container logs, as files."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sandbox.kube.kubelet.logs import LogFolder, LogQuery, RunLog


async def read(log: RunLog, **query: object) -> str:
    return b"".join([chunk async for chunk in log.read(LogQuery(**query))]).decode()  # type: ignore[arg-type]


@pytest.fixture
def log(tmp_path: Path) -> RunLog:
    made = RunLog(tmp_path / "uid" / "main.0.log")
    for index in range(1, 5):
        made.write(f"line {index}", at=1_000.0 + index)
    return made


async def test_everything_comes_in_order(log: RunLog) -> None:
    assert await read(log) == "line 1\nline 2\nline 3\nline 4\n"


async def test_a_container_that_wrote_nothing_has_an_empty_log(tmp_path: Path) -> None:
    assert await read(RunLog(tmp_path / "none.log")) == ""


async def test_tail_takes_the_last_lines(log: RunLog) -> None:
    assert await read(log, tail=2) == "line 3\nline 4\n"
    assert await read(log, tail=0) == ""


async def test_since_takes_lines_from_that_moment_on(log: RunLog) -> None:
    assert await read(log, since=1_003.0) == "line 3\nline 4\n"


async def test_timestamps_stand_before_each_line(log: RunLog) -> None:
    assert await read(log, tail=1, timestamps=True) == "1970-01-01T00:16:44.000000000Z line 4\n"


async def test_a_limit_cuts_in_the_middle_of_a_line(log: RunLog) -> None:
    assert await read(log, limit_bytes=10) == "line 1\nlin"


async def test_following_goes_on_until_the_run_ends(log: RunLog) -> None:
    reading = asyncio.create_task(read(log, follow=True, tail=1))
    await asyncio.sleep(0)
    log.write("line 5\nline 6")
    await asyncio.sleep(0)
    assert not reading.done()
    log.end()
    assert await reading == "line 4\nline 5\nline 6\n"


async def test_a_followed_log_ends_when_its_limit_is_reached(log: RunLog) -> None:
    assert await read(log, follow=True, limit_bytes=7) == "line 1\n"


async def test_only_the_last_two_runs_of_a_container_are_kept(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    for restart in range(4):
        folder.run("uid", "main", restart).write(f"run {restart}")
    assert sorted(path.name for path in (tmp_path / "uid").iterdir()) == ["main.2.log", "main.3.log"]
    assert await read(folder.run("uid", "main", 2)) == "run 2\n"


async def test_a_log_that_grows_too_large_loses_its_older_half(log: RunLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.kube.kubelet.logs._MAX_BYTES", 150)
    log.write("line 5")
    assert await read(log) == "line 4\nline 5\n"


async def test_a_follower_misses_nothing_when_the_older_half_goes(log: RunLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.kube.kubelet.logs._MAX_BYTES", 150)
    reading = asyncio.create_task(read(log, follow=True, tail=0))
    await asyncio.sleep(0)
    log.write("line 5")
    log.write("line 6")
    log.end()
    assert await reading == "line 5\nline 6\n"


def test_the_logs_of_a_pod_that_is_gone_are_gone(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    folder.run("uid", "main", 0).write("x")
    folder.forget("uid")
    assert [*tmp_path.iterdir()] == []
