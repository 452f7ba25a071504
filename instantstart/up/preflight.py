"""Looked at before anything starts, so that nothing is half started."""

from __future__ import annotations

import fcntl
import shutil
import socket
from pathlib import Path
from typing import IO

from instantstart import private_folder
from instantstart.up.refusal import Refusal

NEEDED_BYTES = 500_000_000


def free_port(wanted: int, option: str) -> int:
    """`wanted` if it is free, or any free one for 0. Raises Refusal when it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except PermissionError:
            raise Refusal(
                f"Port {wanted} may not be used by this user: choose one above 1024 with {option}, or {option} 0 for any free one."
            ) from None
        except OSError:
            raise Refusal(
                f"Port {wanted} on 127.0.0.1 is in use: end what uses it, or choose another with {option} (0: any free one)."
            ) from None
        port: int = probe.getsockname()[1]
        return port


def claim(folder: Path) -> IO[str]:
    """Make the state folder ours: hold its lock until the file is closed. Raises Refusal."""
    try:
        private_folder.ensure(folder)
        lock = (folder / "up.lock").open("a+")
    except OSError as error:
        raise Refusal(f"The state folder {folder} can't be written ({error.strerror}): choose another with --state-dir.") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise Refusal(f"Another `up` runs on {folder}: end it, or choose another folder with --state-dir (and other ports).") from None
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        lock.close()
        raise Refusal(
            f"Only {free / 1e6:.0f} MB are free on the disk of {folder}; {NEEDED_BYTES / 1e6:.0f} MB are needed: free some space."
        )
    return lock
