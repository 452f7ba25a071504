"""`manage.py qcluster` with its children killed: django-q2 alone would go on with workers that wait for a dead one's lock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kills.processes import descendants, of_folder

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """URL of a database of its own, with its tables."""
    folder = tmp_path_factory.mktemp("queue")
    url = f"sqlite:///{folder / 'q.sqlite3'}"
    environment = {**os.environ, "DATABASE_URL": url, "INSTANTSTART_STATE_DIR": str(folder)}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0", "django_q"], cwd=ROOT, env=environment, check=True, timeout=120)
    return url


@pytest.fixture
def cluster(database: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A running cluster of two workers."""
    environment = {**os.environ, "DATABASE_URL": database, "INSTANTSTART_STATE_DIR": str(tmp_path)}
    environment |= {"INSTANTSTART_WORKERS": "2", "REDIS_URL": ""}
    process = subprocess.Popen([sys.executable, "manage.py", "qcluster"], cwd=ROOT, env=environment, start_new_session=True)
    try:
        wait(lambda: len(descendants(process.pid)) == 5)  # sentinel, two workers, monitor, pusher
        yield process
    finally:
        process.kill()
        process.wait()
        for pid in of_folder(tmp_path):
            os.kill(pid, signal.SIGKILL)


def wait(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not done():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize("child", [0, 1, 3, 4], ids=["sentinel", "worker", "monitor", "pusher"])
def test_a_killed_child_takes_the_whole_cluster_along(cluster: subprocess.Popen[bytes], tmp_path: Path, child: int) -> None:
    os.kill(descendants(cluster.pid)[child], signal.SIGKILL)
    cluster.wait(30)
    if child:  # what a killed sentinel leaves is the supervisor's to end
        wait(lambda: of_folder(tmp_path) == {})
