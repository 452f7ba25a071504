"""Where a sandbox's unix sockets are. Their paths may have 107 characters, so they are not in the state folder but in a short one."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path


class Sockets:
    """A folder of our own, named after the state folder: a run after a crash finds and replaces it."""

    def __init__(self, state_dir: Path) -> None:
        name = hashlib.sha256(str(state_dir.resolve()).encode()).hexdigest()[:10]
        self._folder = Path(tempfile.gettempdir()) / f"instantstart-{os.getuid()}-{name}"

    def open(self) -> None:
        self.close()
        self._folder.mkdir(mode=0o700)

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def egress(self, plane_id: str) -> Path:
        return self._folder / f"{plane_id}.e"

    def kubelet(self, plane_id: str) -> Path:
        return self._folder / f"{plane_id}.k"
