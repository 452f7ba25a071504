"""Where the programs helm, kubectl and aws are."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from instantstart.bootstrap.layout import AWS_VENV
from instantstart.bootstrap.tools import tools_folder


class MissingTool(Exception):
    """A program is not on this machine; the text says how to get it."""


def folders() -> list[Path]:
    """Where to look, first match wins: INSTANTSTART_TOOLS, the tools cache, the AWS CLI's virtualenv."""
    given = os.environ.get("INSTANTSTART_TOOLS", "")
    return [*(Path(part) for part in given.split(os.pathsep) if part), tools_folder(), AWS_VENV / "bin"]


def path(name: str) -> str:
    """Absolute path of a program. Raises MissingTool."""
    for folder in folders():
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise MissingTool(f"{name} is not installed: run `make up` once, or put it on PATH.")
    return found
