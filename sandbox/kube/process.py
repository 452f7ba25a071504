"""One child process of the sandbox: bound to its life, its output in a log file, its id on disk for the clean-up after a crash."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

_SHIM = Path(__file__).with_name("bound_exec.py")
_TERM_SECONDS = 1.0  # an apiserver drains for tens of seconds after SIGTERM: nobody needs that here
_LOG_BYTES = 5_000_000


class Process:
    """`name` names the log (`<name>.log`) and the pid file (`<name>.pid`) in `folder`."""

    def __init__(self, name: str, folder: Path, command: Sequence[str]) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._pid_file = folder / f"{name}.pid"
        self._command = list(command)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        if self.log.exists() and self.log.stat().st_size > _LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-S",
                str(_SHIM),
                str(os.getpid()),
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # a group of its own: Ctrl-C in the terminal reaches only the sandbox, which then ends its children in order
                start_new_session=True,
                env={"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "/")},
            )
        self._pid_file.write_text(f"{self._process.pid} {_started(self._process.pid)}")

    async def wait(self) -> int:
        if self._process is None:
            return 0
        return await self._process.wait()

    async def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), _TERM_SECONDS)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        self._pid_file.unlink(missing_ok=True)

    def last_lines(self, count: int = 5) -> str:
        """The end of its log, for an error message."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - 8192))
            lines = file.read().decode(errors="replace").splitlines()
        return "\n".join(lines[-count:])


def end_leftovers(folder: Path) -> int:
    """Kill what an earlier sandbox left running (where the kernel could not do it): only processes whose start time is the noted one."""
    ended = 0
    for pid_file in folder.rglob("*.pid"):
        pid_text, _, started = pid_file.read_text().partition(" ")
        if pid_text.isdigit() and started and _started(int(pid_text)) == started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(pid_text), signal.SIGKILL)
                ended += 1
        pid_file.unlink(missing_ok=True)
    return ended


def _started(pid: int) -> str:
    """When the process started, in the kernel's ticks; empty when it can't be told (gone, or not Linux)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
