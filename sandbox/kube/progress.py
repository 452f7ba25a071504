"""How far the build of the control plane's binary is: written by the builder beside the binary, read by whoever waits for it."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.kube import binary

_STALE_SECONDS = 600.0


@dataclass(frozen=True)
class Progress:
    done: int = 0  # packages
    total: int = 0
    at: float = 0.0  # epoch seconds
    error: str = ""

    def sentence(self) -> str:
        if self.error:
            return f"the build failed: {self.error}"
        if not self.at or time.time() - self.at > _STALE_SECONDS:
            return "the binary is not built: run `python -m sandbox.kube.build`"
        return f"{self.done} of {self.total or '?'} packages built"


def read() -> Progress:
    try:
        return Progress(**json.loads(_path().read_text()))
    except (OSError, ValueError, TypeError):
        return Progress()


def write(progress: Progress) -> None:
    path = _path()
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(asdict(progress)))
    temporary.rename(path)


def clear() -> None:
    _path().unlink(missing_ok=True)


def _path() -> Path:
    return binary.cache_folder() / "build.json"
