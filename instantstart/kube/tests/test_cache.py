"""The watch cache, driven step by step."""

from __future__ import annotations

import json
from typing import Any

import pytest

from instantstart.kube import cache
from instantstart.kube.cache import WatchedKind
from instantstart.kube.client import Kube
from instantstart.kube.errors import KubeError
from instantstart.kube.tests.api_server import ApiServer, Asked, status


def pod(name: str, version: str = "1", **fields: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "default", "resourceVersion": version, "managedFields": [{"manager": "x"}]}, **fields}


def lines(*events: tuple[str, dict[str, Any]]) -> Any:
    return iter([json.dumps({"type": kind, "object": thing}).encode() + b"\n" for kind, thing in events])


def names(watched: WatchedKind) -> list[str]:
    return sorted(item["metadata"]["name"] for item in watched.snapshot().items)


def test_a_list_and_the_events_after_it_make_the_picture(api: ApiServer) -> None:
    watched = WatchedKind(lambda: Kube(api.target), "v1", "Pod")
    versions: list[str] = []

    def answer(asked: Asked) -> tuple[int, Any]:
        if "watch" not in asked.query:
            return 200, {"metadata": {"resourceVersion": "5"}, "items": [pod("a"), pod("b")]}
        versions.append(asked.query["resourceVersion"])
        if len(versions) == 1:
            events = [("DELETED", pod("a", "6")), ("ADDED", pod("c", "7")), ("MODIFIED", pod("b", "8", spec={"nodeName": "n"}))]
            return 200, lines(*events, ("BOOKMARK", {"metadata": {"resourceVersion": "20"}}))
        watched.stop()
        return 200, lines(("ADDED", pod("d", "21")))

    api.answer = answer
    watched.follow_once()
    assert names(watched) == ["b", "c", "d"]
    assert versions == ["5", "20"]
    b = next(item for item in watched.snapshot().items if item["metadata"]["name"] == "b")
    assert b["spec"] == {"nodeName": "n"}
    assert (b["kind"], "managedFields" in b["metadata"]) == ("Pod", False)


def test_a_watch_that_is_too_old_lists_anew(api: ApiServer) -> None:
    watched = WatchedKind(lambda: Kube(api.target), "v1", "Pod")
    api.answer = lambda asked: (
        status("Expired", 410) if "watch" in asked.query else (200, {"metadata": {"resourceVersion": "5"}, "items": [pod("a")]})
    )
    watched.follow_once()
    assert names(watched) == ["a"]


def test_nothing_is_claimed_before_the_first_list(api: ApiServer) -> None:
    snapshot = WatchedKind(lambda: Kube(api.target), "v1", "Pod").snapshot()
    assert (snapshot.items, snapshot.complete, snapshot.age) == ((), False, None)


def test_what_was_seen_stays_with_its_age_when_the_server_is_lost(api: ApiServer) -> None:
    now = [100.0]
    watched = WatchedKind(lambda: Kube(api.target), "v1", "Pod", clock=lambda: now[0])
    api.answer = lambda asked: (
        (500, b"boom") if "watch" in asked.query else (200, {"metadata": {"resourceVersion": "5"}, "items": [pod("a")]})
    )
    with pytest.raises(KubeError):
        watched.follow_once()
    now[0] += 30
    snapshot = watched.snapshot()
    assert (names(watched), snapshot.complete, snapshot.age) == (["a"], True, 30.0)


def test_one_cache_a_cluster_and_another_for_a_new_endpoint(api: ApiServer) -> None:
    api.answer = lambda _asked: status("Forbidden", 403, "pods is forbidden")
    try:
        first = cache.of(api.target)
        assert cache.of(api.target) is first
        snapshot = first.pods(wait=5)
        assert (snapshot.complete, snapshot.error) == (False, "pods is forbidden")
        moved = type(api.target)(api.target.name, api.target.region, "https://127.0.0.1:9", api.target.ca_data)
        assert cache.of(moved) is not first
        assert not first.alive
    finally:
        cache.stop_all()
