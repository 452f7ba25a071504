"""A small process runner: starts the parts, restarts one that dies, ends them all.

Why not a library: the known runners signal whole process groups, and a django-q2 cluster hangs when its group, not just
its main process, gets SIGTERM; besides, our children must die with us even when we are killed.
"""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

STOP_SECONDS = 10.0
RESTART_FIRST, RESTART_MOST = 0.5, 10.0
STEADY_SECONDS = 30.0
"""A process that lived this long starts anew with the first, short delay."""

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent() -> None:
    """Runs in the child before exec: the kernel sends it SIGTERM when its parent ends, however that ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass
class Part:
    """One supervised process. `restart`: start it again when it ends by itself."""

    name: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    cwd: Path
    restart: bool = True
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    delay: float = RESTART_FIRST
    due: float | None = None

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                list(self.argv),
                env=dict(self.environment),
                cwd=self.cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 (who supervises has no threads)
            )
        self.started = time.monotonic()
        self.due = None

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def last_lines(self, count: int = 5) -> str:
        """The end of its log, for a sentence about why it died."""
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])
        except FileNotFoundError:
            return ""

    def _end_group(self) -> None:
        """End what the process left behind in its own session."""
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def reap(self) -> None:
        """After the process ended by itself: clean up, and plan the restart."""
        self._end_group()
        if time.monotonic() - self.started > STEADY_SECONDS:
            self.delay = RESTART_FIRST
        self.due = time.monotonic() + self.delay
        self.delay = min(self.delay * 2, RESTART_MOST)

    def finish(self, deadline: float) -> None:
        if self.process is not None:
            try:
                self.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
            self._end_group()
            self.process.wait()


@dataclass
class Supervisor:
    parts: list[Part] = field(default_factory=list)
    stopping: bool = False

    def add(self, part: Part) -> Part:
        """Start a part and keep it running from now on."""
        self.parts.append(part)
        part.start()
        return part

    def check(self) -> list[Part]:
        """Look once: plan or do restarts. Returns the parts that ended and are not to be restarted."""
        ended = []
        for part in self.parts:
            if part.running:
                continue
            if not part.restart:
                ended.append(part)
            elif part.due is None:
                part.reap()
            elif time.monotonic() >= part.due:
                part.start()
        return ended

    def stop(self) -> None:
        """End all parts, the last started first; one that does not end in time is killed."""
        self.stopping = True
        deadline = time.monotonic() + STOP_SECONDS
        for part in reversed(self.parts):
            if part.running and part.process is not None:
                part.process.terminate()
        for part in reversed(self.parts):
            part.finish(deadline)


def expand(command: str, environment: Mapping[str, str]) -> list[str]:
    """A Procfile command as an argument list: `${NAME:-default}` is replaced, and nothing else a shell would do."""

    def value(match: re.Match[str]) -> str:
        return environment.get(match["name"]) or match["default"] or ""

    replaced = [re.sub(r"\$\{(?P<name>\w+)(:-(?P<default>[^}]*))?\}", value, word) for word in shlex.split(command)]
    program = Path(sys.executable).parent / replaced[0]
    return [str(program) if program.exists() else replaced[0], *replaced[1:]]


def read_procfile(path: Path) -> dict[str, str]:
    """Name → command, in the order of the file."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    return dict(part.split(": ", 1) for part in lines if part and not part.startswith("#"))
