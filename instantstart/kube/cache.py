"""A watch cache of each cluster: nodes, pods, and warnings where they are asked for; begun on first use, ended when nobody asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog

from instantstart.cloud.errors import CloudError
from instantstart.kube.client import Kube
from instantstart.kube.errors import KubeError
from instantstart.kube.target import KubeTarget

logger = structlog.get_logger(__name__)

WATCHED: dict[str, tuple[str, str]] = {"nodes": ("v1", "Node"), "pods": ("v1", "Pod")}
WARNINGS = ("v1", "Event", "type=Warning")
"""Followed from the first time that somebody asks for them: a thousand pods that can't start write thousands."""
IDLE_SECONDS = 900.0
WATCH_SECONDS = 45
_FIRST_BACKOFF, _LONGEST_BACKOFF = 0.5, 30.0


@dataclass(frozen=True)
class Snapshot:
    """The objects of one kind as last heard.

    complete: whether they were ever listed. age: seconds since the server was last heard (None: never); while connected it
    stays below WATCH_SECONDS. error: why the cache can't follow at the moment, "" when it does.
    """

    items: tuple[dict[str, Any], ...]
    complete: bool
    age: float | None
    error: str


class WatchedKind:
    """Follows one kind of one cluster in a daemon thread: list, watch from there, list again when the watch is too old."""

    def __init__(
        self, connect: Callable[[], Kube], api_version: str, kind: str, fields: str = "", *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._connect = connect
        self._api_version, self._kind = api_version, kind
        self._fields = fields
        self._clock = clock
        self._lock = threading.Lock()
        self._objects: dict[tuple[str, str], dict[str, Any]] = {}
        self._complete = False
        self._heard: float | None = None
        self._error = ""
        self._listed = threading.Event()
        self._stopped = threading.Event()
        self._asked = clock()
        self._thread = threading.Thread(target=self._run, name=f"watch-{kind}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends at the next event or the end of the watch."""
        self._stopped.set()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive() and not self._stopped.is_set()

    def snapshot(self, wait: float = 0.0) -> Snapshot:
        """What is known now; waits at most `wait` seconds for the first list."""
        self._asked = self._clock()
        if wait:
            self._listed.wait(wait)
        with self._lock:
            age = None if self._heard is None else self._clock() - self._heard
            return Snapshot(tuple(self._objects.values()), self._complete, age, self._error)

    def _run(self) -> None:
        backoff = _FIRST_BACKOFF
        while not self._stopped.is_set() and self._clock() - self._asked < IDLE_SECONDS:
            try:
                self.follow_once()
                backoff = _FIRST_BACKOFF
            except (KubeError, CloudError) as error:
                with self._lock:
                    self._error = error.message
                self._listed.set()  # whoever waits learns of the error now
                self._stopped.wait(backoff)
                backoff = min(_LONGEST_BACKOFF, backoff * 2)
        self._stopped.set()

    def follow_once(self) -> None:
        """One list and the watches that follow on it, until one breaks (KubeError, CloudError) or stop() is called."""
        kube = self._connect()
        items, version = kube.list_with_version(self._api_version, self._kind, fields=self._fields)
        with self._lock:
            self._objects = {_key(item): _slim(item) for item in items}
            self._complete, self._error = True, ""
        self._hear()
        self._listed.set()
        while not self._stopped.is_set() and self._clock() - self._asked < IDLE_SECONDS:
            try:
                for event in kube.watch(self._api_version, self._kind, version, fields=self._fields, seconds=WATCH_SECONDS):
                    version = self.take(event) or version
                    if self._stopped.is_set():
                        return
            except KubeError as error:
                if error.code in ("Gone", "Expired") or error.status == 410:
                    return  # too old: the caller lists anew
                raise
            self._hear()  # the server ended the watch as it was told to

    def take(self, event: dict[str, Any]) -> str:
        """Applies one watch event and returns its resource version."""
        thing = event["object"]
        with self._lock:
            if event["type"] in ("ADDED", "MODIFIED"):
                self._objects[_key(thing)] = _slim({"apiVersion": self._api_version, "kind": self._kind, **thing})
            elif event["type"] == "DELETED":
                self._objects.pop(_key(thing), None)
        self._hear()
        return str(thing.get("metadata", {}).get("resourceVersion", ""))

    def _hear(self) -> None:
        self._heard = self._clock()


class ClusterCache:
    """Nodes, pods and warnings of one cluster."""

    def __init__(self, target: KubeTarget) -> None:
        self.target = target
        self._kinds = {name: WatchedKind(lambda: Kube(target), *kind) for name, kind in WATCHED.items()}
        for watched in self._kinds.values():
            watched.start()
        self._warnings: WatchedKind | None = None
        self._lock = threading.Lock()

    @property
    def alive(self) -> bool:
        return all(watched.alive for watched in self._kinds.values())

    def nodes(self, wait: float = 0.0) -> Snapshot:
        return self._kinds["nodes"].snapshot(wait)

    def pods(self, wait: float = 0.0) -> Snapshot:
        return self._kinds["pods"].snapshot(wait)

    def warnings(self, wait: float = 0.0) -> Snapshot:
        """Kubernetes' events of the type Warning."""
        with self._lock:
            if self._warnings is None or not self._warnings.alive:
                self._warnings = WatchedKind(lambda: Kube(self.target), *WARNINGS)
                self._warnings.start()
            watched = self._warnings
        return watched.snapshot(wait)

    def stop(self) -> None:
        for watched in self._kinds.values():
            watched.stop()
        with self._lock:
            if self._warnings is not None:
                self._warnings.stop()


_caches: dict[KubeTarget, ClusterCache] = {}
_caches_lock = threading.Lock()


def of(target: KubeTarget) -> ClusterCache:
    """The cache of that cluster, started now if it isn't there. A changed endpoint or CA makes a new one."""
    with _caches_lock:
        cache = _caches.get(target)
        if cache is None or not cache.alive:
            for other in [
                other for other in _caches if (other.name, other.region, other.account) == (target.name, target.region, target.account)
            ]:
                _caches.pop(other).stop()
            cache = _caches[target] = ClusterCache(target)
            logger.info("watch_cache_started", cluster=target.name)
    return cache


def stop_all() -> None:
    """At the end of the process, and of tests."""
    with _caches_lock:
        for cache in _caches.values():
            cache.stop()
        _caches.clear()


def _key(thing: dict[str, Any]) -> tuple[str, str]:
    metadata = thing["metadata"]
    return str(metadata.get("namespace", "")), str(metadata["name"])


def _slim(thing: dict[str, Any]) -> dict[str, Any]:
    """Without managedFields, which are half of an object and of no use to a reader."""
    metadata = {name: value for name, value in thing["metadata"].items() if name != "managedFields"}
    return {**thing, "metadata": metadata}
