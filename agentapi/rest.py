"""Calls of our own REST API with the caller's token: in this process (over ASGI) or over HTTP. Nothing else is reached from a tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2

from agentapi.errors import Refused, ToolError

PREFIX = "/api/v1/"
DOOR = {"X-InstantStart-Door": "mcp"}
"""Says through which door the call came; believed of agents' tokens only."""
WAIT_SECONDS = 25
"""The longest that REST waits for an operation."""


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any
    replayed: bool = False
    """Whether it is the answer to the first call under this key."""


class Rest:
    """One caller's way in. transport: None for HTTP to `url`."""

    def __init__(self, url: str, token: str, transport: httpx2.AsyncBaseTransport | None = None, headers: Mapping[str, str] = {}) -> None:
        self._client = httpx2.AsyncClient(
            base_url=url,
            transport=transport,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json", **DOOR, **headers},
            timeout=httpx2.Timeout(WAIT_SECONDS + 35, connect=5),
            follow_redirects=False,
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def get(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        return (await self.send("GET", path, params=params)).body

    async def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        reason: str | None = None,
    ) -> Reply:
        """path: under /api/v1/. Raises Refused for a problem, ToolError when nobody answers."""
        asked = {name: _written(value) for name, value in (params or {}).items() if value is not None}
        headers: dict[bytes, bytes] = {b"Idempotency-Key": key.encode()} if key else {}
        if reason:
            headers[b"Operation-Reason"] = reason.encode()
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            headers[b"Content-Type"] = b"application/json"
        try:
            answer = await self._client.request(method, PREFIX + path, params=asked, content=content, headers=headers)
        except httpx2.HTTPError as error:
            raise ToolError(
                "installation_unreachable",
                f"The installation did not answer ({type(error).__name__}).",
                "Look whether it runs and INSTANTSTART_URL is its address; then call the same again, under the same operation_key.",
            ) from error
        try:
            found = answer.json() if answer.content else None
        except ValueError:
            found = None
        if answer.status_code >= 400:
            raise Refused(answer.status_code, found if isinstance(found, dict) else {})
        return Reply(answer.status_code, found, answer.headers.get("Idempotent-Replayed") == "true")


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_written(inner) for inner in value] if isinstance(value, list) else str(value)


def cursor_of(link: Any) -> str | None:
    """The cursor in the address of another page; None for none."""
    found = parse_qs(urlsplit(str(link)).query).get("cursor") if link else None
    return found[0] if found else None
