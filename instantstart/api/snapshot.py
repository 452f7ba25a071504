"""`python -m instantstart.api.snapshot`: whether docs/openapi.yaml is what the code says; what `make check` ends with."""

from __future__ import annotations

import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

from instantstart.bootstrap.layout import ROOT
from instantstart.command_line import manage

COMMITTED = ROOT / "docs" / "openapi.yaml"
SHOWN_LINES = 20


def generated() -> str:
    """The document as the code makes it now. Raises CalledProcessError where it is not a valid one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "openapi.yaml"
        command = [sys.executable, "manage.py", "spectacular", "--validate", "--fail-on-warn", "--file", str(path)]
        subprocess.run(command, cwd=ROOT, check=True)
        return path.read_text()


def differences(committed: str, made: str) -> list[str]:
    """The lines that differ, as `diff -u` shows them; none when both are the same."""
    return list(difflib.unified_diff(committed.splitlines(), made.splitlines(), "docs/openapi.yaml", "as the code says", lineterm="", n=1))


def main() -> int:
    try:
        lines = differences(COMMITTED.read_text(), generated())
    except subprocess.CalledProcessError:
        return 1  # it has said why
    if not lines:
        return 0
    more = [f"… and {len(lines) - SHOWN_LINES} lines more"] if len(lines) > SHOWN_LINES else []
    fix = f"docs/openapi.yaml is not what the code says: `{manage('spectacular --file docs/openapi.yaml')}` remakes it."
    sys.stderr.write("\n".join([*lines[:SHOWN_LINES], *more, fix, ""]))
    return 1


if __name__ == "__main__":
    sys.exit(main())
