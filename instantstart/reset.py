"""`make reset`: remove the state of `make up` (database, sandbox, logs), unless it is in use."""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="make reset", description="Remove everything that `make up` keeps.")
    default = os.environ.get("INSTANTSTART_STATE_DIR") or str(Path(__file__).resolve().parent.parent / "var")
    parser.add_argument("--state-dir", default=default, type=Path)
    folder: Path = parser.parse_args().state_dir.resolve()
    if not folder.exists():
        print(f"Nothing to remove: {folder} does not exist.")
        return 0
    if not (folder / "up.lock").exists():
        print(f"instantstart: {folder} was not made by `make up` (it has no up.lock), so it is left alone.", file=sys.stderr)
        return 1
    with (folder / "up.lock").open("r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(
                f"instantstart: {folder} is in use: end `make up` (Ctrl-C in its terminal), then run `make reset` again.", file=sys.stderr
            )
            return 1
        shutil.rmtree(folder)
    print(f"Removed {folder}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
