"""`manage.py serve` as an installation runs it: the Procfile's parts in one container, until SIGTERM."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3

from instantstart.up.preflight import free_port
from sandbox.tests.kube.rig import until
from tests.test_up import ROOT, processes_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGINT], ids=lambda one: one.name)
def test_serve_runs_web_dispatcher_and_workers_until_it_is_told_to_end(tmp_path: Path, ended_by: signal.Signals) -> None:
    port = free_port(0, "")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTEST")) and name != "REDIS_URL"},
        "DATABASE_URL": f"sqlite:///{tmp_path / 'instantstart.sqlite3'}",
        "INSTANTSTART_STATE_DIR": str(tmp_path),
        "PORT": str(port),
    }
    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, env=environment, check=True, timeout=120)
    log = tmp_path / "log"
    with log.open("wb") as said:
        serving = subprocess.Popen([sys.executable, "manage.py", "serve"], cwd=ROOT, env=environment, stderr=said, stdout=said)
    http = urllib3.PoolManager(retries=False, timeout=5)

    def ready() -> bool:
        assert serving.poll() is None, log.read_text()
        try:
            return http.request("GET", f"http://127.0.0.1:{port}/readyz").status == 200  # the dispatcher ticks, the database answers
        except urllib3.exceptions.HTTPError:
            return False

    try:
        until(ready, 90, what="ready product")
        serving.send_signal(ended_by)
        assert serving.wait(60) == 0, log.read_text()
    finally:
        serving.kill()
    assert processes_of(tmp_path) == []
    assert processes_on(port) == []


def processes_on(port: int) -> list[str]:
    """Command lines that name the port: uvicorn's."""
    return processes_of(Path(str(port)))
