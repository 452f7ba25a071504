"""The state folder: database, logs, keys and tokens' hashes lie in it, so nobody else on the machine may look in."""

from __future__ import annotations

import os
import stat
from pathlib import Path

PRIVATE = 0o700
MARKS = ("secret_key", "up.lock", "instantstart.sqlite3")
"""What tells that a folder is ours. One that is not (say, /tmp given by mistake) keeps its mode."""


def ensure(folder: Path) -> None:
    """Make the folder for its owner alone, or close one of ours that an earlier version left open. Raises OSError."""
    try:
        folder.mkdir(parents=True, mode=PRIVATE)
    except FileExistsError:
        found = folder.stat()
        shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH | stat.S_ISVTX)
        ours = found.st_uid == os.geteuid() and any((folder / name).exists() for name in MARKS)
        if ours and not shared and stat.S_IMODE(found.st_mode) != PRIVATE:
            folder.chmod(PRIVATE)
