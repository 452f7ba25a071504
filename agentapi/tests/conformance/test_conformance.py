"""MCP's conformance suite (npm, pinned) against /mcp, and where it needs fixtures, against them behind the same door.

The suite sends no token: a proxy of the test's adds it, and passes Host and Origin on as they come.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from accounts.models import ApiToken, User
from agentapi.http import Door
from agentapi.tests.conformance import fixtures
from clusters.tests.rows import make_cluster
from instantstart.bootstrap.layout import ROOT, VENV
from instantstart.handlers import HttpApplication

BIN = ROOT / "tests" / "clients" / "node_modules" / ".bin"
EXPECTED = Path(__file__).with_name("expected_failures.yaml")
GENERIC = ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection")
HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"}
pytestmark = pytest.mark.django_db(transaction=True)


class Served:
    """An ASGI application under uvicorn, on a thread of its own."""

    def __init__(self, application: Any) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(application, log_level="warning", timeout_graceful_shutdown=2))
        begun = threading.Event()
        startup = self._server.startup

        async def begin(sockets: Any = None) -> None:
            await startup(sockets)
            begun.set()

        self._server.startup = begin  # type: ignore[method-assign]
        self._thread = threading.Thread(target=lambda: asyncio.run(self._server.serve([self._socket])), daemon=True)
        self._thread.start()
        assert begun.wait(30), "the server did not start"

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)


def with_token(url: str, secret: str) -> Any:
    """A proxy to that address which adds the token."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = [(name, value) for name, value in scope["headers"] if name.decode() not in HOP]
        async with httpx2.AsyncClient(timeout=60) as http:
            answer = await http.request(
                scope["method"],
                f"{url}{scope['path']}",
                content=body,
                headers=[*headers, (b"authorization", f"Bearer {secret}".encode())],
            )
        kept = [(name.lower(), value) for name, value in answer.headers.raw if name.decode().lower() not in HOP]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": kept})
        await send({"type": "http.response.body", "body": answer.content})

    return application


@pytest.fixture
def secret(operator: User, make_token: Callable[..., tuple[ApiToken, str]]) -> str:
    make_cluster("demo")
    return make_token(operator, agent=True)[1]


@pytest.fixture
def ours(web: Any, secret: str) -> Iterator[str]:
    proxy = Served(with_token(web.url, secret))
    yield f"{proxy.url}/mcp"
    proxy.stop()


@pytest.fixture
def fixtures_server(transactional_db: None, secret: str) -> Iterator[str]:
    door = Served(Door(HttpApplication(), fixtures.server()))
    proxy = Served(with_token(door.url, secret))
    yield f"{proxy.url}/mcp"
    proxy.stop()
    door.stop()


def run(*arguments: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{VENV / 'bin'}{os.pathsep}/usr/bin:/bin", "HOME": str(tmp_path), "NO_COLOR": "1"}
    return subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("scenario", GENERIC)
def test_a_generic_scenario_passes_against_our_own_server(scenario: str, ours: str, tmp_path: Path) -> None:
    done = run(str(BIN / "conformance"), "server", "--url", ours, "--scenario", scenario, tmp_path=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_whole_suite_passes_behind_our_door_but_for_what_is_expected(fixtures_server: str, tmp_path: Path) -> None:
    done = run(
        str(BIN / "conformance"),
        "server",
        "--url",
        fixtures_server,
        "--suite",
        "all",
        "--expected-failures",
        str(EXPECTED),
        tmp_path=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_inspector_lists_and_calls_our_tools(web: Any, secret: str, tmp_path: Path) -> None:
    inspector = (
        str(BIN / "mcp-inspector"),
        "--cli",
        f"{web.url}/mcp",
        "--transport",
        "http",
        "--header",
        f"Authorization: Bearer {secret}",
    )
    listed = run(*inspector, "--method", "tools/list", tmp_path=tmp_path)
    assert listed.returncode == 0, listed.stdout + listed.stderr
    assert '"cluster_create"' in listed.stdout
    called = run(*inspector, "--method", "tools/call", "--tool-name", "cluster_get", tmp_path=tmp_path)
    assert called.returncode == 0, called.stdout + called.stderr
    assert '"cluster_taken": "the only one"' in called.stdout
