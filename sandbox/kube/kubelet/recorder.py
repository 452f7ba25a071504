"""Kubernetes Events, written in the background at a bounded rate; what does not fit is dropped, as the real kubelet does."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import itertools
from collections import deque
from typing import Any

from sandbox.kube.client import Client
from sandbox.kube.protocol import KubeError, Manifest

_PER_SECOND = 50  # the kubelet's default event rate
_MAX_WAITING = 500

_serial = itertools.count(int(dt.datetime.now(dt.UTC).timestamp() * 1_000_000))


class Recorder:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: deque[Manifest] = deque()
        self._wake = asyncio.Event()

    def normal(self, involved: Manifest, reason: str, message: str, *, component: str = "kubelet", host: str = "", field: str = "") -> None:
        if len(self._waiting) < _MAX_WAITING:
            self._waiting.append(_event("Normal", involved, reason, message, component, host, field))
            self._wake.set()

    def warning(
        self, involved: Manifest, reason: str, message: str, *, component: str = "kubelet", host: str = "", field: str = ""
    ) -> None:
        """Warnings go ahead of everything that waits."""
        self._waiting.appendleft(_event("Warning", involved, reason, message, component, host, field))
        while len(self._waiting) > _MAX_WAITING:
            self._waiting.pop()
        self._wake.set()

    async def run(self) -> None:
        while True:
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
            batch = [self._waiting.popleft() for _ in range(min(_PER_SECOND // 5, len(self._waiting)))]
            # a namespace that is going away takes no events
            with contextlib.suppress(KubeError):
                for event in batch:
                    await self._client.create(event)
            await asyncio.sleep(len(batch) / _PER_SECOND)


def _event(kind: str, involved: Manifest, reason: str, message: str, component: str, host: str, field: str) -> Manifest:
    metadata = involved["metadata"]
    namespace = metadata.get("namespace", "")
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    reference: dict[str, Any] = {
        "apiVersion": involved.get("apiVersion", "v1"),
        "kind": involved["kind"],
        "name": metadata["name"],
        "uid": metadata.get("uid", ""),
    }
    if namespace:
        reference["namespace"] = namespace
    if field:
        reference["fieldPath"] = field
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{metadata['name']}.{next(_serial):x}", "namespace": namespace or "default"},
        "involvedObject": reference,
        "type": kind,
        "reason": reason,
        "message": message[:1000],
        "count": 1,
        "firstTimestamp": now,
        "lastTimestamp": now,
        "source": {"component": component, "host": host} if host else {"component": component},
        "reportingComponent": component,
        "reportingInstance": host,
    }
