"""Drives the ASGI application without a server."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote

from sandbox.app import App
from sandbox.world import World


def ask(
    world: World,
    method: str,
    path: str,
    query: str = "",
    headers: dict[str, str] | list[tuple[bytes, bytes]] | None = None,
    body: bytes = b"",
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer to a request whose path is percent-encoded already."""
    raw_headers = headers if isinstance(headers, list) else [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()]
    scope = {
        "type": "http",
        "method": method,
        "path": unquote(path),
        "raw_path": path.encode("latin-1", "replace"),
        "query_string": query.encode("latin-1", "replace"),
        "headers": raw_headers,
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        await App(world)(scope, receive, send)

    asyncio.run(run())
    start = sent[0]
    answer_headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
    return start["status"], answer_headers, b"".join(message.get("body", b"") for message in sent[1:])
