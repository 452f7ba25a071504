"""etcd's keys through its JSON gateway: enough to note and to wipe a cluster's state, no etcd client needed."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

ROOT = b"/registry/"
_AT_ONCE = 16


@dataclass(frozen=True)
class Entry:
    value: bytes
    revision: int  # of the last change


class Etcd:
    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self._url = url
        self._session = session

    async def entries(self) -> dict[bytes, Entry]:
        """Everything Kubernetes keeps: key to value and revision."""
        answer = await self._call("/v3/kv/range", {"key": _text(ROOT), "range_end": _text(_end(ROOT))})
        return {_bytes(item["key"]): Entry(_bytes(item.get("value", "")), int(item["mod_revision"])) for item in answer.get("kvs", [])}

    async def keys(self) -> set[bytes]:
        answer = await self._call("/v3/kv/range", {"key": _text(ROOT), "range_end": _text(_end(ROOT)), "keys_only": True})
        return {_bytes(item["key"]) for item in answer.get("kvs", [])}

    async def change(self, delete: Iterable[bytes] = (), put: Mapping[bytes, bytes] | None = None) -> None:
        """Each key in a revision of its own, as Kubernetes writes: a watch that breaks goes on behind the last revision it saw, so of
        many keys that change in one transaction its client would miss the rest, and believe in what is gone for ever."""
        calls = [("/v3/kv/deleterange", {"key": _text(key)}) for key in delete]
        calls += [("/v3/kv/put", {"key": _text(key), "value": _text(value)}) for key, value in (put or {}).items()]
        waiting = iter(calls)

        async def work() -> None:
            for path, body in waiting:
                await self._call(path, body)

        await asyncio.gather(*(work() for _ in range(_AT_ONCE)))

    async def _call(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self._session.post(self._url + path, json=body) as response:
            response.raise_for_status()
            answer: dict[str, Any] = await response.json(content_type=None)
            return answer


def _end(prefix: bytes) -> bytes:
    """The first key after all that begin with the prefix."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
