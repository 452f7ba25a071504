"""The way from an apiserver to nodes and pods: an HTTP CONNECT proxy on a unix socket, as its egress selector asks for.

So nodes and pods keep addresses of their VPC; what answers is decided here: port 10250 is the kubelet, everything else a pod's double.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from sandbox.kube.pipe import pipe

log = logging.getLogger(__name__)

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
# opens a connection to (address, port) of a node or pod; OSError with a sentence when nothing listens there
Dial = Callable[[str, int], Awaitable[Streams]]


class Egress:
    def __init__(self, path: Path, dial: Dial) -> None:
        self._path = path
        self._dial = dial
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._accept, self._path)

    async def close(self) -> None:
        if self._server:
            self._server.close()
            self._server = None
        connections = [*self._connections]
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
            host, _, port = target.rpartition(":")
            number = int(port)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            return
        if method != "CONNECT":
            await _refuse(writer, 405, "only CONNECT is served here")
            return
        try:
            upstream = await self._dial(host.strip("[]"), number)
        except OSError as error:
            await _refuse(writer, 502, str(error))
            return
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await pipe((reader, writer), upstream)


async def _refuse(writer: asyncio.StreamWriter, status: int, sentence: str) -> None:
    """The sentence is the reason phrase, since that is what the apiserver passes on."""
    writer.write(f"HTTP/1.1 {status} {sentence}\r\nContent-Length: 0\r\n\r\n".encode())
    await writer.drain()
