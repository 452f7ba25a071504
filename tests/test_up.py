"""`manage.py up` as a person runs it: real processes, real ports, one JSON document."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.xdist_group("up")]


def up(folder: Path, *arguments: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "up", "--state-dir", str(folder), "--port", "0", "--sandbox-port", "0", *arguments]
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "INSTANTSTART_STATE", "DATABASE_URL", "PYTEST"))
    }
    return subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)


def processes_of(folder: Path) -> list[str]:
    """Command lines that name the folder: what was started for it and still runs."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if str(folder) in line and int(entry.name) != os.getpid():
                found.append(line)
    return found


def rows(state: Path, query: str) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(state / "instantstart.sqlite3")) as database:
        return database.execute(query).fetchall()


def test_up_once_makes_the_demo_cluster_and_leaves_nothing_running(tmp_path: Path) -> None:
    state = tmp_path / "state"
    done = up(state, "--once", "--json")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert set(outcome) == {"ok", "cluster", "phases", "resources", "admin"}
    assert set(outcome["admin"]) == {"username", "password"} and outcome["admin"]["username"] == "admin"
    assert f"Password  {outcome['admin']['password']}\n" in done.stderr
    for folder, _, names in os.walk(state):
        assert [name for name in names if not Path(folder, name).is_socket() and Path(folder, name).stat().st_mode & 0o077] == [], folder
    assert stat.S_IMODE(state.stat().st_mode) == stat.S_IMODE((state / "sandbox").stat().st_mode) == 0o700
    assert rows(state, "select name from accounts_apitoken") == [], "the token of the run has been revoked"
    assert outcome["ok"] is True
    assert [(phase["name"], phase["state"]) for phase in outcome["phases"]] == [
        (name, "ready") for name in ("control_plane", "select", "dependencies", "hyperpod", "storage")
    ]
    assert set(outcome["cluster"]) == {"name", "region", "eks_arn", "hyperpod_arn"}
    assert outcome["cluster"]["eks_arn"] == f"arn:aws:eks:{outcome['cluster']['region']}:123456789012:cluster/demo"
    assert {"AWS::EC2::VPC", "AWS::EKS::Cluster"} <= {row["type"] for row in outcome["resources"]}
    assert all(set(phase) == {"name", "state", "wall_seconds", "virtual_seconds", "operation"} for phase in outcome["phases"])
    assert processes_of(tmp_path) == []

    again = up(state, "--once", "--json")
    assert again.returncode == 0, again.stderr
    second = json.loads(again.stdout)
    assert "admin" not in second, "the password is kept nowhere, so that it can't be told again"
    assert f"INSTANTSTART_STATE_DIR={state} .venv/bin/python manage.py changepassword admin\n" in again.stderr
    assert second["cluster"] == outcome["cluster"], "an existing demo is shown, not made anew"
    assert [phase["operation"] for phase in second["phases"]] == [phase["operation"] for phase in outcome["phases"]]
    assert processes_of(tmp_path) == []


def test_a_busy_port_is_one_sentence_and_nothing_is_started(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        done = up(tmp_path / "state", "--once", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr.strip() == (
        f"instantstart: Port {port} on 127.0.0.1 is in use: end what uses it, or choose another with --port (0: any free one)."
    )
    assert processes_of(tmp_path) == []
    assert not (tmp_path / "state" / "instantstart.sqlite3").exists()


def test_a_state_folder_in_use_is_refused(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--state-dir", str(tmp_path), "--port", "0", "--sandbox-port", "0", "--no-demo"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert first.stdout is not None
        for line in first.stdout:
            if "Ctrl-C ends everything" in line:
                break
        second = up(tmp_path, "--once")
        assert second.returncode == 1
        assert "Another `up` runs on" in second.stderr
    finally:
        first.send_signal(signal.SIGINT)
        assert first.wait(60) == 0
    deadline = time.monotonic() + 10
    while processes_of(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert processes_of(tmp_path) == []
