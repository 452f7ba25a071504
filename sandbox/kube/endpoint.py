"""The public address of an EKS cluster's API: a listener whose port stays the same, in front of a control plane that may not run yet.

The first connection starts the control plane; its bytes (TLS, ended by the apiserver) are passed on. During a network partition
connections are accepted and nothing is answered, as with a firewall that drops packets.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable

from sandbox.kube.pipe import pipe
from sandbox.kube.protocol import KubeError

log = logging.getLogger(__name__)

_PARTITION_POLL_SECONDS = 0.2

# the port of the running control plane; starts it
Upstream = Callable[[], Awaitable[int]]
Partitioned = Callable[[], bool]


class Endpoint:
    def __init__(self, port: int, upstream: Upstream, partitioned: Partitioned) -> None:
        self.port = port
        self._upstream = upstream
        self._partitioned = partitioned
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def connected(self) -> bool:
        return bool(self._connections)

    async def open(self) -> None:
        """OSError when the port is taken."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", self.port))
        except OSError:
            listener.close()
            raise
        self._server = await asyncio.start_server(self._accept, sock=listener)

    async def close(self) -> None:
        if self._server:
            self._server.close()
            self._server = None
        await self.drop()

    async def drop(self) -> None:
        """End every open connection."""
        connections = [*self._connections]
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        with contextlib.suppress(asyncio.CancelledError):  # a dropped connection is no error
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._reachable()
        try:
            port = await self._upstream()
            upstream = await asyncio.open_connection("127.0.0.1", port)
        except (KubeError, OSError) as error:
            log.warning("endpoint %d: %s", self.port, error)
            return
        await pipe((reader, writer), upstream, self._reachable)

    async def _reachable(self) -> None:
        while self._partitioned():  # noqa: ASYNC110 - the faults are values to ask for, nobody tells when they change
            await asyncio.sleep(_PARTITION_POLL_SECONDS)
