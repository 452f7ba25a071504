"""The ASGI application: `/_sandbox/` is the control API, everything else is AWS."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

from sandbox import control
from sandbox.aws.answer import answer
from sandbox.aws.protocol.wire import FileSlice, Reply, Request
from sandbox.world import World

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_MAX_BODY = 256 * 1024 * 1024  # of an S3 part; the SDKs send parts of 8 MiB
_CHUNK = 1024 * 1024
_LINGER_ZERO = struct.pack("ii", 1, 0)  # closes with RST instead of FIN


class App:
    def __init__(self, world: World) -> None:
        self.world = world

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"the sandbox speaks HTTP only, not {scope['type']}")
        request = await _request(scope, receive)
        if isinstance(request, Reply):
            await _send(request, send, head=False)
            return
        if request.raw_path.startswith("/_sandbox/") or request.raw_path == "/_sandbox":
            reply = await control.answer(self.world, request)
            await _send(reply, send, head=request.method == "HEAD")
            return
        answered = await answer(self.world, request)
        if answered.reply is None:
            await _cut(send, reset=answered.cut == "reset")
            return
        await _send(answered.reply, send, head=request.method == "HEAD")


async def _request(scope: Scope, receive: Receive) -> Request | Reply:
    """The whole request; a reply when it is too large, or its sender went away."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        # latin-1 never fails; S3 metadata in UTF-8 goes back out as the same bytes
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return Reply(400)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > _MAX_BODY:
            return Reply(413, {"content-type": "text/plain", "connection": "close"}, b"The body is larger than 256 MiB.")
        if not message.get("more_body"):
            break
    raw_path = scope.get("raw_path") or scope["path"].encode()
    return Request(
        method=scope["method"],
        raw_path=raw_path.partition(b"?")[0].decode("latin-1"),
        raw_query=scope["query_string"].decode("latin-1"),
        headers=headers,
        body=b"".join(parts),
    )


async def _send(reply: Reply, send: Send, *, head: bool) -> None:
    body = reply.body
    length = body.length if isinstance(body, FileSlice) else len(body)
    headers = {"server": "sandbox", **reply.headers}
    if not (head and "content-length" in headers):  # HEAD tells the length of what it does not send
        headers["content-length"] = str(length)
    if reply.status in (204, 304):
        headers.pop("content-length", None)
        head = True
    await send(
        {
            "type": "http.response.start",
            "status": reply.status,
            "headers": [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers.items()],
        }
    )
    if isinstance(body, FileSlice) and not head:
        for piece in _pieces(body):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        return
    await send({"type": "http.response.body", "body": b"" if head or isinstance(body, FileSlice) else body})


def _pieces(body: FileSlice) -> Iterator[bytes]:
    with body.path.open("rb") as file:
        file.seek(body.start)
        left = body.length
        while left > 0:
            piece = file.read(min(_CHUNK, left))
            if not piece:
                return
            left -= len(piece)
            yield piece


async def _cut(send: Send, *, reset: bool) -> None:
    """Close the connection without a reply: that is what a lost one looks like from outside.

    ASGI has no message for it, so uvicorn's own object behind `send` is asked for its transport.
    """
    cycle = getattr(send, "__self__", None)
    transport = getattr(cycle, "transport", None)
    if transport is None:
        raise RuntimeError("this server does not let the sandbox cut a connection: run it under uvicorn")
    if reset:
        connection: socket.socket | None = transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
    transport.abort()
    await asyncio.sleep(0)
    # what uvicorn's cycle still wants to hear; it writes nothing to a closed transport
    if cycle is not None:
        cycle.disconnected = True


def json_line(value: Any) -> str:
    return json.dumps(value, separators=(", ", ": "))
