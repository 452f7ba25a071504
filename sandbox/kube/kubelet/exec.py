"""exec and attach over WebSockets: the channels of `v5.channel.k8s.io`.

Each binary message begins with its channel: 0 input, 1 output, 2 error, 3 the outcome as a Status, 4 terminal size, 255 (v5) the end
of one channel.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from aiohttp import WSMsgType, web

from sandbox.kube.kubelet.container import Container
from sandbox.kube.kubelet.logs import LogQuery

_PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_INPUT, _OUTPUT, _ERROR, _OUTCOME, _CLOSE = 0, 1, 2, 3, 255


class _Channels:
    """A Terminal over one WebSocket."""

    def __init__(self, socket: web.WebSocketResponse, *, wants_input: bool) -> None:
        self._socket = socket
        self._input: asyncio.Queue[bytes] = asyncio.Queue()
        if not wants_input:
            self._input.put_nowait(b"")
        self.gone = asyncio.Event()

    async def receive(self) -> None:
        """Take messages until the client goes."""
        async for message in self._socket:
            if message.type is not WSMsgType.BINARY or not message.data:
                continue
            channel, data = message.data[0], message.data[1:]
            if channel == _INPUT and data:
                self._input.put_nowait(data)
            elif channel == _CLOSE and data[:1] == bytes([_INPUT]):
                self._input.put_nowait(b"")
        self._input.put_nowait(b"")
        self.gone.set()

    async def read(self) -> bytes:
        data = await self._input.get()
        if not data:
            self._input.put_nowait(b"")  # the end stays the end
        return data

    async def write(self, data: bytes) -> None:
        await self._send(_OUTPUT, data)

    async def write_error(self, data: bytes) -> None:
        await self._send(_ERROR, data)

    async def finish(self, status: dict[str, Any]) -> None:
        await self._send(_OUTCOME, json.dumps(status).encode())
        with contextlib.suppress(ConnectionError):
            await self._socket.close()

    async def _send(self, channel: int, data: bytes) -> None:
        with contextlib.suppress(ConnectionError):  # a client that has gone misses the rest
            await self._socket.send_bytes(bytes([channel]) + data)


async def execute(request: web.Request, container: Container) -> web.StreamResponse:
    socket = web.WebSocketResponse(protocols=_PROTOCOLS)
    await socket.prepare(request)
    play = container.play
    assert play is not None  # noqa: S101 - the caller looked
    channels = _Channels(socket, wants_input=request.query.get("input") in ("1", "true"))
    command = request.query.getall("command", [])
    run = asyncio.create_task(container.double.execute(play, command, channels))
    await _until_over(run, channels)
    if not run.cancelled():
        await channels.finish(_outcome(run.result()))
    return socket


async def attach(request: web.Request, container: Container) -> web.StreamResponse:
    """What the container writes from now on, until it ends."""
    socket = web.WebSocketResponse(protocols=_PROTOCOLS)
    await socket.prepare(request)
    channels = _Channels(socket, wants_input=request.query.get("input") in ("1", "true"))

    async def follow() -> int:
        async for chunk in container.log().read(LogQuery(follow=True, tail=0)):
            await channels.write(chunk)
        return 0

    run = asyncio.create_task(follow())
    await _until_over(run, channels)
    if not run.cancelled():
        await channels.finish(_outcome(run.result()))
    return socket


async def _until_over(run: asyncio.Task[int], channels: _Channels) -> None:
    """Until the command ends, or the client goes, which ends the command."""
    receive = asyncio.create_task(channels.receive())
    gone = asyncio.create_task(channels.gone.wait())
    try:
        await asyncio.wait([run, gone], return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        receive.cancel()
        run.cancel()
        await asyncio.gather(run, gone, receive, return_exceptions=True)


def _outcome(code: int) -> dict[str, Any]:
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    cause = {"reason": "ExitCode", "message": str(code)}
    message = f"command terminated with non-zero exit code: {code}"
    return {"metadata": {}, "status": "Failure", "reason": "NonZeroExitCode", "message": message, "details": {"causes": [cause]}}
