"""Processes of the product under measurement: started as its Procfile says, their CPU time read from /proc."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instantstart.supervisor import expand, read_procfile

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60.0
TICKS = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def part(name: str, environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The Procfile's part of that name, while the context lasts; its whole process group ends with it."""
    command = expand(read_procfile(ROOT / "Procfile")[name], environment)
    with log.open("ab") as output:
        process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=output, stderr=output, start_new_session=True)
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the address answers 200."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"it ended at once: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310  (loopback)
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"{url} did not answer within {START_SECONDS:.0f} s: {log.read_text()[-2000:]}")


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            fields = _stat(int(entry.name))
            if fields:
                parents[int(entry.name)] = int(fields[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def cpu_seconds(pid: int) -> float:
    """User and system time of the process, its living descendants, and those it has waited for."""
    total = 0
    for one in family(pid):
        fields = _stat(one)
        total += sum(int(fields[index]) for index in (11, 12, 13, 14)) if fields else 0
    return total / TICKS


def memory_mb(pid: int) -> float:
    """Resident memory of the process and its descendants, shared pages counted in each."""
    pages = sum(int(fields[21]) for one in family(pid) if (fields := _stat(one)))
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the third on (state is 0); [] when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
