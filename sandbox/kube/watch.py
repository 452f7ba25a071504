"""A watch that never ends by itself: the server may close it at any time, with status 200 and no error."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import aiohttp

from sandbox.kube.protocol import KubeError, Manifest

if TYPE_CHECKING:
    from sandbox.kube.client import Client

_RETRY_SECONDS = 0.3


class Watch:
    """Events of one kind: what is there first, then every change; after a gap the differences, deletions included."""

    def __init__(self, client: Client, api_version: str, kind: str, namespace: str = "", labels: str = "", fields: str = "") -> None:
        self._client = client
        self._api_version = api_version
        self._kind = kind
        self._namespace = namespace
        self._labels = labels
        self._fields = fields
        # uid to metadata of what has been told: enough to tell of a deletion that happened unseen
        self._told: dict[str, Manifest] = {}
        self._version = ""

    async def events(self) -> AsyncIterator[tuple[str, Manifest]]:
        while not self._client.closed:
            try:
                if not self._version:
                    for event in await self._catch_up():
                        yield event
                async for event in self._follow():
                    yield event
            except KubeError as error:
                if error.status == 410:  # the version is too old: list again
                    self._version = ""
                    continue
                await asyncio.sleep(_RETRY_SECONDS)
            except (aiohttp.ClientError, TimeoutError):
                await asyncio.sleep(_RETRY_SECONDS)

    async def _catch_up(self) -> list[tuple[str, Manifest]]:
        items, version = await self._client.list_at(self._api_version, self._kind, self._namespace, self._labels, self._fields)
        events: list[tuple[str, Manifest]] = []
        present = {item["metadata"]["uid"] for item in items}
        for uid in [uid for uid in self._told if uid not in present]:
            events.append(("DELETED", {"apiVersion": self._api_version, "kind": self._kind, "metadata": self._told.pop(uid)}))
        for item in items:
            metadata = item["metadata"]
            before = self._told.get(metadata["uid"])
            if before is None or before["resourceVersion"] != metadata["resourceVersion"]:
                events.append(("ADDED" if before is None else "MODIFIED", item))
                self._told[metadata["uid"]] = _identity(metadata)
        self._version = version
        return events

    async def _follow(self) -> AsyncIterator[tuple[str, Manifest]]:
        path = await self._client.path(self._api_version, self._kind, self._namespace)
        query = {"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": self._version}
        query |= {name: value for name, value in (("labelSelector", self._labels), ("fieldSelector", self._fields)) if value}
        async with self._client.stream(f"{path}?{urlencode(query)}") as response:
            if response.status != 200:
                raise KubeError("Expired" if response.status == 410 else "WatchFailed", await response.text(), response.status)
            rest = b""
            async for chunk in response.content.iter_any():
                # lines may be longer than any read buffer
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    item = event["object"]
                    if event["type"] == "ERROR":
                        raise KubeError(item.get("reason", "WatchFailed"), item.get("message", ""), item.get("code", 0))
                    metadata = item["metadata"]
                    self._version = metadata["resourceVersion"]
                    if event["type"] == "BOOKMARK":
                        continue
                    if event["type"] == "DELETED":
                        self._told.pop(metadata["uid"], None)
                    else:
                        self._told[metadata["uid"]] = _identity(metadata)
                    yield event["type"], item


def _identity(metadata: Manifest) -> Manifest:
    return {name: metadata[name] for name in ("uid", "name", "namespace", "resourceVersion") if name in metadata}
