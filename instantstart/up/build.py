"""Progress of the sandbox's Kubernetes build, read from its log."""

from __future__ import annotations

import re
from dataclasses import dataclass

from instantstart.supervisor import Part

WIDTH = 28


@dataclass(frozen=True)
class BuildProgress:
    builder: Part

    @property
    def failed(self) -> bool:
        process = self.builder.process
        return process is not None and (process.poll() or 0) > 0

    def reason(self) -> str:
        return f"The sandbox's Kubernetes could not be built: {self.builder.last_lines(1) or 'no output'}"

    def line(self) -> str:
        """A bar with the package count while it builds, else empty."""
        if not self.builder.running:
            return ""
        counts = re.findall(r"(\d+)/(\d+) packages", self.builder.last_lines(20))
        if not counts:
            return "building the sandbox's Kubernetes (first time only, about 6 minutes)"
        done, total = int(counts[-1][0]), int(counts[-1][1])
        filled = WIDTH * done // max(total, 1)
        return f"building the sandbox's Kubernetes [{'█' * filled}{'·' * (WIDTH - filled)}] {done}/{total} packages (first time only)"
