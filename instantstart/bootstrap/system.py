"""What the tests need of Debian: real PostgreSQL, Redis and Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from instantstart.bootstrap.report import SetupError, run, stage

PACKAGES = ("postgresql", "redis-server", "chromium", "fonts-dejavu-core", "procps", "curl")
INSTALL = "apt-get update && apt-get install -y --no-install-recommends " + " ".join(PACKAGES)


def missing() -> list[str]:
    """Which of the programs behind PACKAGES are not on this machine."""
    found = {
        "postgresql": any(Path("/usr/lib/postgresql").glob("*/bin/initdb")),
        "redis-server": shutil.which("redis-server") is not None,
        "chromium": shutil.which("chromium") is not None,
        "fonts-dejavu-core": Path("/usr/share/fonts/truetype/dejavu").exists(),
        "procps": shutil.which("ps") is not None,
        "curl": shutil.which("curl") is not None,
    }
    return [name for name, there in found.items() if not there]


def ensure_system_packages() -> None:
    """Install what is missing, as root or by passwordless sudo; else say the one line to run."""
    packages = missing()
    if not packages:
        return
    prefix: list[str] = []
    if os.geteuid() != 0:
        if shutil.which("sudo") is None or subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode:
            raise SetupError(f"The tests need {', '.join(packages)}: run `sudo sh -c '{INSTALL}'`, then again.")
        prefix = ["sudo", "-n"]
    if shutil.which("apt-get") is None:
        raise SetupError(f"The tests need {', '.join(packages)}, and this machine has no apt-get: install them, then run again.")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with stage(f"Installing {', '.join(packages)} (Debian)", "a minute or two"):
        run([*prefix, "apt-get", "update", "-q"], what="apt-get update", env=environment)
        run([*prefix, "apt-get", "install", "-y", "-q", "--no-install-recommends", *packages], what="apt-get install", env=environment)
