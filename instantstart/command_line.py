"""How a person types one of our commands, as sentences and pages show it: what they print can be pasted into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

from instantstart.bootstrap.layout import ROOT


def manage(command: str, *, state_dir: Path | None = None) -> str:
    """`command` of manage.py with the Python that has our packages; state_dir: the state folder, where it is not the usual one.

    In a container there is no virtualenv of the project's: there it is the `python` on the path.
    """
    python = ".venv/bin/python" if (ROOT / ".venv" / "bin" / "python").exists() else "python"
    elsewhere = "" if state_dir is None or state_dir == ROOT / "var" else f"INSTANTSTART_STATE_DIR={shlex.quote(str(state_dir))} "
    return f"{elsewhere}{python} manage.py {command}"
