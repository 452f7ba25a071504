"""The world outside of all processes: one file to which each call appends a line."""

from __future__ import annotations

import os
from pathlib import Path


class FileWorld:
    """Calls are lines "call name token pid"; a line is appended whole (O_APPEND), so none is lost between processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def make(self, name: str, token: str) -> None:
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, f"make {name} {token} {os.getpid()}\n".encode())
        finally:
            os.close(handle)

    def calls(self) -> list[tuple[str, str, str]]:
        """(name, token, pid) of each call."""
        return [(name, token, pid) for _, name, token, pid in (line.split() for line in self.path.read_text().splitlines())]
