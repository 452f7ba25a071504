"""Fixtures that operations' tests have, and a receiver of webhooks on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from operations.tests.conftest import as_admin, begin, driven_clock, outside

__all__ = ["as_admin", "begin", "driven_clock", "outside"]


@dataclass
class Receiver:
    """A server that keeps what it is sent. answers: statuses to give, in turn; then 200. headers: of every answer."""

    port: int = 0
    answers: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    got: list[tuple[dict[str, str], str]] = field(default_factory=list)

    def url(self, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/hook?key=1"

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.got]


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """The receiver, allowed by the setting that allows networks off the internet."""
    settings.WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            made.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(made.answers.pop(0) if made.answers else 200)
            for name, value in {"Content-Length": "0", **made.headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()
