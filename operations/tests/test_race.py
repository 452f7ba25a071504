"""Two dispatchers and four workers on 500 due operations, as processes, on whichever database the tests run."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection

from operations import clock
from operations.choices import OperationState
from operations.models import Operation
from operations.tests.race.outside import FileWorld

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

OPERATIONS = 500
STANDSTILL_SECONDS = 120
"""No limit on the whole: a busy machine is slow. An offer that got lost comes back within 30 s, a lease within 60 s."""
ROOT = Path(__file__).resolve().parents[2]


def due_operations() -> list[Operation]:
    at = clock.now()
    return [
        Operation(
            kind="race.mark",
            title="Mark",
            subject_type="mark",
            subject=f"m{number}",
            input={"name": f"m{number}"},
            request_fingerprint="x",
            channel="api",
            lock_key=f"mark:m{number}",
            next_attempt_at=at,
            created_at=at,
        )
        for number in range(OPERATIONS)
    ]


@pytest.fixture
def shared(tmp_path: Path, transactional_db: None) -> str:
    """URL of a database that several processes can share, with the operations in it.

    On PostgreSQL the tests' own; on SQLite a file of its own, since the tests' database there is in memory.
    """
    if connection.vendor == "postgresql":
        Operation.objects.bulk_create(due_operations())
        return url_of(connection.settings_dict)
    url = f"sqlite:///{tmp_path / 'race.sqlite3'}"
    prepare = (
        "import django; django.setup();"
        "from django.core.management import call_command; call_command('migrate', verbosity=0);"
        "from operations.models import Operation; from operations.tests.test_race import due_operations;"
        "Operation.objects.bulk_create(due_operations())"
    )
    subprocess.run([sys.executable, "-c", prepare], cwd=ROOT, env=environment(url, tmp_path), check=True, timeout=600)
    return url


def url_of(s: dict[str, Any]) -> str:
    """The URL of a PostgreSQL database in Django's settings; a host that is a folder (a socket's) is quoted."""
    port = f":{s['PORT']}" if s["PORT"] else ""
    credentials = f"{quote(s['USER'])}:{quote(s['PASSWORD'] or '')}@" if s["USER"] else ""
    return f"postgres://{credentials}{quote(str(s['HOST'] or ''), safe='')}{port}/{s['NAME']}"


def environment(url: str, folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "instantstart.settings"),
        "RACE_FOLDER": str(folder),
        "INSTANTSTART_SECRET_KEY": "race",
        "INSTANTSTART_WORKERS": "4",
        "INSTANTSTART_LOG_LEVEL": "WARNING",
        "INSTANTSTART_POLL_TRANSITION": "0.2",
    }


def rows(url: str, sql: str) -> list[tuple[Any, ...]]:
    """What a query gives on the shared database; read apart from Django's connection."""
    if not url.startswith("sqlite"):
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())
    with closing(sqlite3.connect(f"file:{url.removeprefix('sqlite:///')}?mode=ro", uri=True, timeout=20)) as reader:
        return reader.execute(sql).fetchall()


def race(url: str, folder: Path, left: Callable[[], int]) -> None:
    """Runs the six processes until nothing is left; they begin together. Fails when nothing moves for STANDSTILL_SECONDS."""
    command = [sys.executable, "-m", "operations.tests.race"]
    logs = [(folder / f"{number}.log").open("wb") for number in range(6)]
    processes = [
        subprocess.Popen([*command, part], cwd=ROOT, env=environment(url, folder), stdout=log, stderr=subprocess.STDOUT)
        for part, log in zip(["dispatcher"] * 2 + ["worker"] * 4, logs, strict=True)
    ]
    try:
        moved_at, before = time.monotonic(), (0, 0)
        while True:
            now = left(), len(list(folder.glob("ready-*")))
            if now != before:
                moved_at, before = time.monotonic(), now
            if now[1] == len(processes):
                (folder / "go").touch()
            if now[0] == 0:
                break
            said = "\n".join((folder / f"{number}.log").read_text()[-2000:] for number in range(6))
            assert all(process.poll() is None for process in processes), said
            assert time.monotonic() - moved_at < STANDSTILL_SECONDS, f"{now[0]} left, {now[1]} processes ready\n{said}"
            time.sleep(0.2)
    finally:
        (folder / "stop").touch()
        for process in processes:
            try:
                process.wait(STANDSTILL_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        for log in logs:
            log.close()
    assert [process.returncode for process in processes] == [0] * 6


def test_two_dispatchers_and_four_workers_make_each_call_once(shared: str, tmp_path: Path) -> None:
    due = "SELECT count(*) FROM operations_operation WHERE state IN ('recorded', 'running', 'cancelling')"
    race(shared, tmp_path, lambda: int(rows(shared, due)[0][0]))
    calls = FileWorld(tmp_path / "calls").calls()
    assert Counter(name for name, _, _ in calls) == Counter({f"m{n}-{step}": 1 for n in range(OPERATIONS) for step in ("first", "second")})
    assert len({token for _, token, _ in calls}) == 2 * OPERATIONS
    assert len({pid for _, _, pid in calls}) == 4, "all four workers took part"
    assert rows(shared, "SELECT state, count(*) FROM operations_operation GROUP BY state") == [(OperationState.SUCCEEDED, OPERATIONS)]
    assert sorted(rows(shared, "SELECT step, outcome, count(*) FROM operations_intent GROUP BY step, outcome")) == [
        ("first", "succeeded", OPERATIONS),
        ("second", "succeeded", OPERATIONS),
    ]
