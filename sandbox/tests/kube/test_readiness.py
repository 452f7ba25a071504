"""A node whose network came up is Ready, whatever happened to the write that says so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sandbox.kube.kubelet import nodes
from sandbox.kube.kubelet.addresses import Addresses
from sandbox.kube.kubelet.nodes import Machines
from sandbox.kube.protocol import KubeError
from sandbox.tests.kube.rig import node_spec


class Api:
    """Takes Node objects; may refuse a status once, or keep one waiting while others pass."""

    def __init__(self) -> None:
        self.ready = ""
        self.refusing = False
        self.slow: asyncio.Event | None = None
        self.told = asyncio.Event()

    async def create(self, manifest: dict[str, Any]) -> dict[str, Any]:
        return {"metadata": {"uid": "u"}}

    async def get(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {"metadata": {"uid": "u"}, "spec": {}}

    async def patch(self, api_version: str, kind: str, name: str, patch: Any, **more: Any) -> dict[str, Any]:
        if more.get("subresource") == "status":
            if self.refusing:
                self.refusing = False
                raise KubeError("Conflict", "somebody else wrote it", 409)
            if self.slow is not None:
                waiting, self.slow = self.slow, None
                await waiting.wait()
            self.ready = next(one["status"] for one in patch["status"]["conditions"] if one["type"] == "Ready")
            self.told.set()
        return {"metadata": {"uid": "u"}}


async def test_a_refused_status_is_told_at_the_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "_ROUND_SECONDS", 0.0)
    api = Api()
    machines = Machines(api, Addresses())  # type: ignore[arg-type]
    machine = await machines.register(node_spec(1, needs_cni=True))
    api.refusing = True
    with pytest.raises(KubeError):
        await machines.network_ready(machine)
    assert api.ready == ""
    running = asyncio.create_task(machines.run())
    await api.told.wait()
    running.cancel()
    assert api.ready == "True"


async def test_an_older_status_that_is_slow_does_not_land_upon_a_newer_one() -> None:
    api = Api()
    machines = Machines(api, Addresses())  # type: ignore[arg-type]
    machine = await machines.register(node_spec(1, needs_cni=True))
    api.slow = released = asyncio.Event()
    older = asyncio.create_task(machines._adopt(machine, machine.spec))
    await asyncio.sleep(0)
    newer = asyncio.create_task(machines.network_ready(machine))
    await asyncio.sleep(0)
    released.set()
    await asyncio.gather(older, newer)
    assert api.ready == "True"
