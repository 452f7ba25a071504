"""`python -m tests.postgres`: the part of the suite that must hold on PostgreSQL too, on a server of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.servers import postgresql

ROOT = Path(__file__).resolve().parent.parent
PARTS = ["operations", "accounts", "instantstart", "-m", "not browser and not kube or postgres"]


def main() -> int:
    with postgresql() as url:
        environment = {**os.environ, "DATABASE_URL": url}
        workers = os.environ.get("XDIST", "auto")
        return subprocess.run(
            [str(Path(sys.executable).parent / "pytest"), "-n", workers, "--dist", "loadgroup", "-q", *PARTS, *sys.argv[1:]],
            cwd=ROOT,
            env=environment,
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
