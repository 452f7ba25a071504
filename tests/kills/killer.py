"""Who is killed, and when: at each sight of progress the next victim that is alive."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from instantstart.supervisor import RESTART_FIRST, Part
from instantstart.up.stack import Stack
from tests.kills.journal import Journal
from tests.kills.processes import descendants

PATIENCE_SECONDS = 240.0
"""Without any progress: how long the whole takes is the machine's affair."""


@dataclass
class Killer:
    """Kills parts of the stack, and lets its supervisor start them again."""

    stack: Stack
    journal: Journal
    helm: Path
    """Folder of the slow Helm: "armed" there makes its next run rename that to "caught" and wait for "go"."""
    killed: Counter[str] = field(default_factory=Counter)
    seen: tuple[str, ...] = ()

    def part(self, name: str) -> Part:
        return next(part for part in self.stack.supervisor.parts if part.name == name)

    def kill(self, victim: str) -> None:
        """SIGKILL to the main process of a part, or to a child ("child") of the worker's."""
        part = self.part("worker" if victim == "child" else victim)
        assert part.process is not None
        family = [part.process.pid, *descendants(part.process.pid)]
        os.kill(self._child(family) if victim == "child" else part.process.pid, signal.SIGKILL)
        self.killed[victim] += 1
        part.delay = RESTART_FIRST  # that the delay grows is tested elsewhere
        if victim in ("worker", "child"):
            self._wait(lambda: self._restarted(part, family[0]), f"a new worker after a kill of {victim}")
            self.journal.skip_leases_of(family)

    def _inside_helm(self) -> None:
        """Kills the worker while its Helm waits; Helm goes on by itself once another worker is there."""
        (self.helm / "caught").unlink()
        pid = int((self.helm / "calls").read_text().splitlines()[-1].split()[0])
        self.kill("worker")
        assert Path(f"/proc/{pid}").exists(), "Helm outlives its worker"
        (self.helm / "go").touch()
        self._wait(lambda: not Path(f"/proc/{pid}").exists(), "end of Helm")

    @staticmethod
    def _child(family: list[int]) -> int:
        """The first of the sentinel's children: a worker, as django-q2 starts these before its auxiliaries."""
        sentinel = family[1]
        return descendants(sentinel)[0]

    def _restarted(self, part: Part, dead: int) -> bool:
        return part.process is not None and part.process.pid != dead and len(descendants(part.process.pid)) > 2

    def steadily(self, victims: list[str], ended: Callable[[], bool]) -> None:
        """Until `ended()`: the next victim dies at each sight of progress, once all parts run."""
        to_come = deque(victims)
        self.seen = self.journal.progress()

        def look() -> bool:
            if (self.helm / "caught").exists():
                self._inside_helm()
            progress = self.journal.progress()
            if to_come and progress != self.seen and all(part.running for part in self.stack.supervisor.parts):
                self.seen = progress
                self.kill(to_come.popleft())
            return ended()

        self._wait(look, "the end of the operation")
        assert not to_come, f"too little progress was seen to kill {list(to_come)}"

    def _wait(self, done: Callable[[], bool], what: str) -> None:
        until, seen = time.monotonic() + PATIENCE_SECONDS, self.journal.progress()
        while not done():
            if (progress := self.journal.progress()) != seen:
                until, seen = time.monotonic() + PATIENCE_SECONDS, progress
            assert time.monotonic() < until, f"no {what}, and no progress in {PATIENCE_SECONDS:.0f} s\n{self.journal.faults()}"
            self.stack.tend()
            time.sleep(0.05)

    def wait(self, done: Callable[[], bool], what: str) -> None:
        """Tends the stack until something holds."""
        self._wait(done, what)
