"""Real servers for the tests: PostgreSQL and Redis of Debian's packages, each on a free port with a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _as_server_user() -> tuple[list[str], str]:
    """How to run PostgreSQL's programs: it refuses root, so root becomes the user `postgres` of the package."""
    if os.geteuid() != 0:
        return [], pwd.getpwuid(os.geteuid()).pw_name
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"], "postgres"


@contextmanager
def postgresql() -> Iterator[str]:
    """A fresh server; yields the DATABASE_URL of an empty database. Durability is off: the data lives as long as the test."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    prefix, user = _as_server_user()
    folder = Path(tempfile.mkdtemp(prefix="is-postgres-"))
    if prefix:
        shutil.chown(folder, user, user)
    data, port = folder / "data", free_port()
    environment = {**os.environ, "LC_ALL": "C", "HOME": str(folder)}
    subprocess.run(
        [*prefix, str(programs / "initdb"), "-D", str(data), "-A", "trust", "-U", "instantstart", "-E", "UTF8"],
        check=True,
        capture_output=True,
        env=environment,
        cwd=folder,
    )
    settings = [
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "max_connections=200",
        f"unix_socket_directories={folder}",
        "listen_addresses=127.0.0.1",
    ]
    options = [part for setting in settings for part in ("-c", setting)]
    server = subprocess.Popen(
        [*prefix, str(programs / "postgres"), "-D", str(data), "-p", str(port), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=folder,
    )
    try:
        _wait_for(port, server)
        deadline = time.monotonic() + 20
        while subprocess.run(
            [str(programs / "createdb"), "-h", "127.0.0.1", "-p", str(port), "-U", "instantstart", "instantstart"],
            capture_output=True,
            env=environment,
            cwd=folder,
        ).returncode:
            if time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL does not accept connections")
            time.sleep(0.1)
        yield f"postgres://instantstart@127.0.0.1:{port}/instantstart"
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def redis() -> Iterator[str]:
    """A fresh server that keeps nothing; yields its REDIS_URL."""
    folder, port = tempfile.mkdtemp(prefix="is-redis-"), free_port()
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, server)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"the server ended at once with {server.returncode}")
        with socket.socket() as probe:
            probe.settimeout(0.2)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server does not listen")
