"""Checks on the machine itself, before anything is installed."""

from __future__ import annotations

import importlib.util
import shutil
import sys

from instantstart.bootstrap.layout import ROOT
from instantstart.bootstrap.report import SetupError

NEEDED_BYTES = 3_000_000_000


def check() -> None:
    """Python's version, its venv module and the free disk. Raises SetupError."""
    if sys.version_info < (3, 11):
        raise SetupError(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}: run `make PYTHON=python3.11 …`.")
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise SetupError("Python's venv module is missing: install it (Debian: `apt-get install python3-venv`) and run again.")
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        needed = f"{NEEDED_BYTES / 1e9:.0f} GB"
        raise SetupError(f"Only {free / 1e9:.1f} GB are free on the disk of {ROOT}, {needed} are needed: free some space and run again.")
