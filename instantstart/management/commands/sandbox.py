"""`manage.py sandbox [serve …] | env | reset | status | faults | clock`: hands over to `python -m sandbox`, which knows no Django."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from instantstart import tools


class Command(BaseCommand):
    help = "The sandbox: AWS and Kubernetes simulated on this machine. `manage.py sandbox --help` shows what it can do."
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Everything behind the command's name is the sandbox's own; without a subcommand it serves."""
        arguments = argv[2:]
        if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help")):
            arguments = ["serve", *arguments]
        if arguments[0] != "serve" and "--help" not in arguments:
            arguments, folder = _of_up(arguments)
            if arguments[0] == "env":
                self._export_tools(folder)
        os.environ.setdefault("SANDBOX_STATE_DIR", str(settings.STATE_DIR / "sandbox"))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(settings.BASE_DIR), os.environ.get("PYTHONPATH"))))
        # Replaces this process: signals, exit code and output are the sandbox's.
        os.execv(sys.executable, [sys.executable, "-m", "sandbox", *arguments])  # noqa: S606 - our own module, no shell

    def _export_tools(self, folder: Path) -> None:
        """The project's aws, kubectl and helm first on PATH, and a kubeconfig of its own, so that the user's stays untouched."""
        folders = os.pathsep.join(str(folder) for folder in tools.folders() if folder.is_dir())
        self.stdout.write(f'export PATH={shlex.quote(folders)}:"$PATH"')
        self.stdout.write(f"export KUBECONFIG={shlex.quote(str(folder / 'kubeconfig'))}")
        self.stdout.flush()

    def handle(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError("run_from_argv replaces the process")


def _of_up(arguments: list[str]) -> tuple[list[str], Path]:
    """The arguments with the sandbox's own state folder, and that folder; the one that `up --state-dir` was given is taken too."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--state-dir", type=Path)
    options, others = parser.parse_known_args(arguments)
    if options.state_dir is None:
        return arguments, Path(os.environ.get("SANDBOX_STATE_DIR") or settings.STATE_DIR / "sandbox").resolve()
    folder: Path = options.state_dir.resolve()
    if (folder / "sandbox" / "endpoint.json").exists():
        folder = folder / "sandbox"
    return [*others, "--state-dir", str(folder)], folder
