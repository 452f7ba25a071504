"""Progress of the sandbox's Kubernetes build, read without waiting."""

from __future__ import annotations

import re
import subprocess
import threading
from collections import deque

WIDTH = 28


class BuildProgress:
    """Follows the builder's output in a thread, since reading a pipe waits."""

    def __init__(self, builder: subprocess.Popen[str] | None) -> None:
        self.builder = builder
        self._lines: deque[str] = deque(maxlen=20)
        if builder is not None and builder.stdout is not None:
            threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        if self.builder is not None and self.builder.stdout is not None:
            for line in self.builder.stdout:
                self._lines.append(line.strip())

    @property
    def failed(self) -> bool:
        return self.builder is not None and (self.builder.poll() or 0) > 0

    def reason(self) -> str:
        last = list(self._lines)[-1:] or ["no output"]
        return f"The sandbox's Kubernetes could not be built: {last[0]}"

    def line(self) -> str:
        """A bar with the package count while it builds, else empty."""
        if self.builder is None or self.builder.poll() is not None:
            return ""
        counts = [found for line in list(self._lines) if (found := re.search(r"(\d+)/(\d+) packages", line))]
        if not counts:
            return "building the sandbox's Kubernetes (first time only, about 6 minutes)"
        done, total = int(counts[-1][1]), int(counts[-1][2])
        filled = WIDTH * done // max(total, 1)
        return f"building the sandbox's Kubernetes [{'█' * filled}{'·' * (WIDTH - filled)}] {done}/{total} packages (first time only)"
