"""The other MCP servers, each in a folder of its own under the user's cache: their dependencies clash with ours."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "instantstart" / "peers"
LONGEST_SECONDS = 900


class NotInstalled(Exception):
    """Why a peer is not there: the last line of what installing it said."""


def python_program(name: str, requirements: str) -> Path:
    """The program `name` of a virtualenv with just these requirements, made on first use."""
    pins = HERE / "requirements" / requirements
    folder = _folder(pins.stem, pins)
    program = folder / "bin" / name
    if not program.exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)], HERE)
        _run([str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--no-deps", "-r", str(pins)], HERE)
    return program


def node_program(package: str) -> list[str]:
    """The command of the npm package that package-lock.json pins, fetched on first use."""
    folder = _folder(package, HERE / "package-lock.json")
    entry = folder / "node_modules" / package / "bin" / "index.js"
    tools = Path(sys.executable).parent
    if not entry.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(HERE / name, folder / name)
        # Not `npm ci`: the lock has the package of one platform alone, and it wants those of all.
        _run([str(tools / "npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    return [str(tools / "node"), str(entry)]


def _folder(name: str, pins: Path) -> Path:
    return CACHE / f"{name}-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}"


def _run(argv: list[str], folder: Path) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False)
    if done.returncode:
        raise NotInstalled(((done.stderr or done.stdout).strip().splitlines() or ["no output"])[-1])
