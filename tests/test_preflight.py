"""What `make up` looks at before it starts anything, and what `make reset` refuses: one sentence each, with the fix."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from instantstart.up import preflight
from instantstart.up.preflight import claim, free_port
from instantstart.up.refusal import Refusal

ROOT = Path(__file__).resolve().parents[1]


def test_a_free_port_is_taken_as_wanted_and_zero_picks_one() -> None:
    picked = free_port(0, "--port")
    assert 1024 < picked < 65536
    assert free_port(picked, "--port") == picked


def test_a_busy_port_is_refused_with_the_option_that_chooses_another() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(Refusal) as refused:
            free_port(port, "--sandbox-port")
    assert str(refused.value) == (
        f"Port {port} on 127.0.0.1 is in use: end what uses it, or choose another with --sandbox-port (0: any free one)."
    )


def test_a_port_that_this_user_may_not_use_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Guarded(socket.socket):
        def bind(self, address: object) -> None:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(preflight.socket, "socket", Guarded)
    with pytest.raises(Refusal) as refused:
        free_port(80, "--port")
    assert str(refused.value) == "Port 80 may not be used by this user: choose one above 1024 with --port, or --port 0 for any free one."


def test_a_state_folder_has_one_owner_at_a_time(tmp_path: Path) -> None:
    with claim(tmp_path / "state"):
        with pytest.raises(Refusal) as refused:
            claim(tmp_path / "state")
        assert str(refused.value) == (
            f"Another `up` runs on {tmp_path / 'state'}: end it, or choose another folder with --state-dir (and other ports)."
        )
    claim(tmp_path / "state").close()


def test_a_state_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refusal) as refused:
        claim(tmp_path / "file" / "state")
    assert str(refused.value) == (
        f"The state folder {tmp_path / 'file' / 'state'} can't be written (Not a directory): choose another with --state-dir."
    )


def test_a_full_disk_is_refused_and_the_folder_is_free_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as full:
        full.setattr(preflight.shutil, "disk_usage", lambda path: usage._replace(free=12_000_000))
        with pytest.raises(Refusal) as refused:
            claim(tmp_path)
    assert str(refused.value) == f"Only 12 MB are free on the disk of {tmp_path}; 500 MB are needed: free some space."
    claim(tmp_path).close()


def reset(folder: Path) -> subprocess.CompletedProcess[str]:
    """`make reset` as the Makefile runs it: any Python, none of our packages."""
    command = [sys.executable, "-S", "-m", "instantstart.reset", "--state-dir", str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)


def test_reset_removes_what_up_made(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    claim(folder).close()
    (folder / "sandbox").mkdir()
    (folder / "instantstart.sqlite3").write_text("rows")
    done = reset(folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"Removed {folder}.\n", "")
    assert not folder.exists()
    again = reset(folder)
    assert (again.returncode, again.stdout) == (0, f"Nothing to remove: {folder} does not exist.\n")


def test_reset_leaves_a_folder_in_use_alone(tmp_path: Path) -> None:
    with claim(tmp_path):
        done = reset(tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"instantstart: {tmp_path} is in use: end `make up` (Ctrl-C in its terminal), then run `make reset` again.\n"
    assert (tmp_path / "up.lock").exists()


def test_reset_leaves_a_folder_of_somebody_else_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    done = reset(tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"instantstart: {tmp_path} was not made by `make up` (it has no up.lock), so it is left alone.\n"
    assert (tmp_path / "thesis.tex").exists()
