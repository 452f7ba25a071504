"""A WebSocket client for tests, over asgiref's communicator. (Channels' own comes only with daphne, which we don't use.)"""

from __future__ import annotations

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator


class Socket(ApplicationCommunicator):
    """One connection to the ASGI application, as a server would carry it."""

    def __init__(self, application: Any, path: str, headers: list[tuple[bytes, bytes]]) -> None:
        scope = {"type": "websocket", "path": path, "query_string": b"", "headers": headers, "subprotocols": []}
        super().__init__(application, scope)

    async def connect(self) -> bool:
        """Whether the handshake was accepted."""
        await self.send_input({"type": "websocket.connect"})
        answer = await self.receive_output(timeout=5)
        return bool(answer["type"] == "websocket.accept")

    async def say(self, message: Any) -> None:
        await self.send_input({"type": "websocket.receive", "text": message if isinstance(message, str) else json.dumps(message)})

    async def hear(self) -> Any:
        output = await self.receive_output(timeout=5)
        assert output["type"] == "websocket.send", output
        return json.loads(output["text"])

    async def closed(self) -> int:
        """The code that the server closes with."""
        output = await self.receive_output(timeout=5)
        assert output["type"] == "websocket.close", output
        return int(output["code"])

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(timeout=5)
