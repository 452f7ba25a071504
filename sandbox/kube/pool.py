"""The control planes of a sandbox: one for each cluster that is used, and a few wiped ones kept running for the next cluster.

A plane's state is in a folder of its own. Which cluster has which plane is the backend's to remember.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from sandbox.kube import issuers
from sandbox.kube.control_plane import ControlPlane, Outside
from sandbox.kube.pki import Pki
from sandbox.kube.process import end_leftovers

log = logging.getLogger(__name__)

_NOTES = "plane.json"

# from a plane's id to what it needs of the sandbox
OutsideOf = Callable[[str], Outside]


class Pool:
    def __init__(self, folder: Path, pki: Callable[[], Pki], outside_of: OutsideOf, keep_idle: int) -> None:
        self._folder = folder
        self._pki = pki
        self._outside_of = outside_of
        self._keep_idle = keep_idle
        self._planes: dict[str, ControlPlane] = {}
        self._idle: list[str] = []  # running and empty
        self._promised: set[str] = set()  # issuers of idle planes that a cluster has been told already
        self._warming = False
        # two starts at once take as long as one after the other on a small machine, and each gets slower
        self._starting = asyncio.Semaphore(1)

    def clean_up(self, used: set[str]) -> None:
        """What an earlier run left: processes, and the folders of planes that no cluster has."""
        if not self._folder.exists():
            return
        ended = end_leftovers(self._folder)
        if ended:
            log.warning("ended %d processes that an earlier sandbox left", ended)
        for folder in self._folder.iterdir():
            if folder.name not in used:
                shutil.rmtree(folder, ignore_errors=True)

    def running(self) -> list[str]:
        return [plane_id for plane_id, plane in self._planes.items() if plane.running]

    def get(self, plane_id: str) -> ControlPlane | None:
        """The plane, if it runs."""
        plane = self._planes.get(plane_id)
        return plane if plane is not None and plane.running else None

    def take_idle(self, issuer: str) -> str:
        """The id of a running, empty plane, if possible the one with this issuer; "" when there is none."""
        self._idle.sort(key=lambda plane_id: self._known_issuer(plane_id) == issuer)
        while self._idle:
            plane_id = self._idle.pop()
            if self.get(plane_id):
                return plane_id
        return ""

    def promise_issuer(self, region: str) -> str:
        """The issuer of an idle plane that no cluster had yet, for one in this region; "" when there is none."""
        for plane_id in self._idle:
            issuer = self._known_issuer(plane_id)
            if issuer.startswith(issuers.prefix(region)) and issuer not in self._promised and not self._used(plane_id):
                self._promised.add(issuer)
                return issuer
        return ""

    def idle(self) -> list[str]:
        return [*self._idle]

    @property
    def warming(self) -> bool:
        return self._warming

    async def warm(self, region: str) -> None:
        """Start one more plane for whoever comes next. KubeError when it does not start."""
        if self._warming:
            return
        self._warming = True
        try:
            plane_id = self.new_id()
            await self.start(plane_id, issuers.new(region))
            self._idle.append(plane_id)
        finally:
            self._warming = False

    def new_id(self) -> str:
        return f"plane-{secrets.token_hex(4)}"

    async def start(self, plane_id: str, issuer: str) -> ControlPlane:
        """The running plane of this id, from its state on disk if there is any. KubeError when it does not start."""
        async with self._starting:
            plane = self.get(plane_id)
            if plane is not None:
                return plane
            broken = self._planes.pop(plane_id, None)
            if broken is not None:  # one of its processes died
                await broken.stop()
            plane = ControlPlane(self._folder / plane_id, self._pki(), self._issuer(plane_id, issuer), self._outside_of(plane_id))
            await plane.start()
            self._planes[plane_id] = plane
            return plane

    async def stop(self, plane_id: str) -> None:
        """End its processes; its state stays."""
        plane = self._planes.pop(plane_id, None)
        if plane is not None:
            await plane.stop()

    async def give_back(self, plane_id: str) -> None:
        """Its cluster is deleted: wiped and kept running, or thrown away when enough are idle."""
        plane = self.get(plane_id)
        if plane is not None and len(self._idle) < self._keep_idle:
            try:
                changed = await plane.wipe()
            except Exception:
                # whatever it was, a plane that can't be wiped must not come back into use
                log.exception("%s cannot be wiped and is thrown away", plane_id)
            else:
                log.info("%s is wiped: %d keys", plane_id, changed)
                self._note(plane_id, self._known_issuer(plane_id), used=True)
                self._idle.append(plane_id)
                return
        await self.stop(plane_id)
        await asyncio.to_thread(shutil.rmtree, self._folder / plane_id, ignore_errors=True)

    async def stop_all(self) -> None:
        self._idle.clear()
        planes, self._planes = [*self._planes.values()], {}
        await asyncio.gather(*(plane.stop() for plane in planes))

    def folder_of(self, plane_id: str) -> Path:
        return self._folder / plane_id

    def _issuer(self, plane_id: str, issuer: str) -> str:
        """A plane keeps the issuer of its first cluster: its tokens must stay valid over restarts."""
        known = self._known_issuer(plane_id)
        if known:
            return known
        self._note(plane_id, issuer, used=False)
        return issuer

    def _known_issuer(self, plane_id: str) -> str:
        return str(self._notes(plane_id).get("issuer", ""))

    def _used(self, plane_id: str) -> bool:
        return bool(self._notes(plane_id).get("used"))

    def _notes(self, plane_id: str) -> dict[str, object]:
        path = self._folder / plane_id / _NOTES
        notes: dict[str, object] = json.loads(path.read_text()) if path.exists() else {}
        return notes

    def _note(self, plane_id: str, issuer: str, *, used: bool) -> None:
        path = self._folder / plane_id / _NOTES
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(json.dumps({"issuer": issuer, "used": used}))
