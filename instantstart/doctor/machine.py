"""This machine: versions of the programs in use, the disk, the database, the dispatcher and the work that is due."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from instantstart import health, tools
from instantstart.command_line import manage
from instantstart.doctor.finding import Finding, Health

LEAST_FREE_GB = 2.0
_SECONDS = 10
_PROGRAMS: tuple[tuple[str, list[str], bool], ...] = (
    ("helm", ["version", "--short"], True),
    ("kubectl", ["version", "--client"], False),
    ("aws", ["--version"], False),
)
"""Program, how it tells its version, whether the product itself runs it."""


def examine() -> Iterator[Finding]:
    yield _python()
    yield from (_program(*row) for row in _PROGRAMS)
    yield _disk()
    yield from _work()


def _python() -> Finding:
    packages = {name: metadata.version(name) for name in ("Django", "boto3", "kubernetes")}
    listed = ", ".join(f"{name} {version}" for name, version in packages.items())
    version = platform.python_version()
    facts = {"python": version, **packages}
    if sys.version_info < (3, 11):
        return Finding("python", "Python", Health.ERROR, f"Python {version} is too old.", "Install Python 3.11 or newer.", facts)
    return Finding("python", "Python", Health.OK, f"Python {version}, {listed}.", facts=facts)


def _program(name: str, arguments: list[str], needed: bool) -> Finding:
    code, worse = f"program_{name}", Health.ERROR if needed else Health.WARNING
    try:
        path = tools.path(name)
    except tools.MissingTool as error:
        return Finding(code, name, worse, f"{name} is not installed.", str(error))
    try:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(
            code, name, worse, f"{path} does not run: {type(error).__name__}.", "Run `make up` once to fetch it anew.", {"path": path}
        )
    found = re.search(r"\d+\.\d+\.\d+", done.stdout + done.stderr)
    version = found.group() if found else ""
    return Finding(code, name, Health.OK, f"{name} {version or '(version not told)'} at {path}.", facts={"version": version, "path": path})


def _disk() -> Finding:
    folder = settings.STATE_DIR
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free / 1e9
    facts = {"folder": str(folder), "free_gb": round(free, 1)}
    if free < LEAST_FREE_GB:
        detail = f"{free:.1f} GB are free for {folder}."
        return Finding("disk", "Disk", Health.WARNING, detail, f"Free some space: {LEAST_FREE_GB:.0f} GB are wanted.", facts)
    return Finding("disk", "Disk", Health.OK, f"{free:.0f} GB are free for {folder}.", facts=facts)


def _work() -> Iterator[Finding]:
    """Database and migrations first; without them nothing more can be told."""
    engine = connection.vendor
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        detail = f"The database ({engine}) does not answer: {type(error).__name__}."
        yield Finding("database", "Database", Health.ERROR, detail, "See DATABASE_URL, and that the server runs.", {"engine": engine})
        return
    if pending:
        detail = f"{len(pending)} migrations of the database ({engine}) are missing."
        yield Finding(
            "database", "Database", Health.ERROR, detail, f"Run `{manage('migrate')}`.", {"engine": engine, "missing": len(pending)}
        )
        return
    yield Finding("database", "Database", Health.OK, f"The database ({engine}) answers and is migrated.", facts={"engine": engine})
    for probe in health.look():
        if probe.name == "database":
            continue
        facts = {"age_seconds": probe.age_seconds, "limit_seconds": probe.limit_seconds}
        yield Finding(probe.name, probe.name.capitalize(), Health.OK if probe.ok else Health.WARNING, probe.detail, probe.fix, facts)
