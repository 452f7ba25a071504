"""Runs benchmarks, each in a process of its own, and prints a table. A missed goal is reported, not an error: exit code 0."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.result import Row, table

NAMES = ("reads", "pages", "plan", "reconcile", "import", "peers")
MODULES = {"import": "import_fleet"}
"""Names that can't be a module's."""
LONGEST_SECONDS = 1200
ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(NAMES)}; all when none is given")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there")
    parser.add_argument("--short", action="store_true", help="a tenth of the time: to see that it works, not to quote numbers")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.names) - set(NAMES))
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} at the start\n")
    results: dict[str, Any] = {}
    broken = []
    for name in chosen.names or NAMES:
        load = os.getloadavg()[0]
        rows = _run(name, short=chosen.short)
        if rows is None:
            broken.append(name)
            continue
        print(f"{name} (load of the machine {load:.1f} before, {os.getloadavg()[0]:.1f} after)\n{table(rows)}\n", flush=True)
        results[name] = {"load_before": load, "load_after": os.getloadavg()[0], "rows": [row.as_dict() for row in rows]}
    if chosen.json:
        head = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "cores": os.cpu_count(), "python": platform.python_version()}
        chosen.json.write_text(json.dumps({**head, "short": chosen.short, "benchmarks": results}, indent=2) + "\n")
    for name in broken:
        print(f"The benchmark {name} broke: its numbers are missing.", file=sys.stderr)
    return 1 if broken else 0


def _run(name: str, *, short: bool) -> list[Row] | None:
    """The benchmark's rows; None when it did not run to its end."""
    with tempfile.TemporaryDirectory(prefix=f"bench-{name}-") as folder:
        told = Path(folder) / "rows.json"
        argv = [
            sys.executable,
            "-m",
            f"bench.{MODULES.get(name, name)}",
            "--folder",
            folder,
            "--rows",
            str(told),
            *(["--short"] if short else []),
        ]
        try:
            done = subprocess.run(argv, cwd=ROOT, timeout=LONGEST_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode or not told.exists():
            return None
        return [Row.of(one) for one in json.loads(told.read_text())]


if __name__ == "__main__":
    sys.exit(main())
