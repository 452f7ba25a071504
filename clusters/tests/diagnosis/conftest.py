"""The standing cluster of the groups' tests, with things that go wrong on it, and the diagnosis as a client reads it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from clusters.observers import ClusterObserver
from clusters.reading.reader import ClusterReader
from clusters.tests.groups.conftest import standing, standing_once
from clusters.tests.groups.standing import Standing
from instantstart.kube import cache
from instantstart.kube.client import Kube

__all__ = ["standing", "standing_once"]
PATIENCE = 40.0
"""Seconds that Kubernetes' own controllers may take to say what is wrong."""


class Ill:
    """The cluster `demo`, what is done to it, and what the diagnosis says then."""

    def __init__(self, standing: Standing, client: APIClient) -> None:
        self.standing, self.client = standing, client
        self.sandbox = standing.sandbox
        self.found: dict[str, dict[str, Any]] = {}
        ClusterObserver().observe("demo")

    @property
    def kube(self) -> Kube:
        api = ClusterReader("demo", "us-west-2").kube
        assert api is not None
        return api

    def ask(self, path: str = "diagnosis/", query: str = "?limit=50&evidence_rows=50") -> dict[str, Any]:
        answer = self.client.get(f"/api/v1/clusters/demo/{path}{query}")
        assert answer.status_code == 200, answer.content
        body: dict[str, Any] = answer.json()
        return body

    def told(self, *codes: str, path: str = "diagnosis/") -> dict[str, dict[str, Any]]:
        """The findings by code, once all of these have been told: what Kubernetes says comes a moment later."""
        until = time.monotonic() + PATIENCE
        while True:
            body = self.ask(path)
            self.found |= {one["code"]: one for one in body["findings"] if one["standing"] or one["code"] not in self.found}
            missing = set(codes) - set(self.found)
            if not missing:
                return self.found
            assert time.monotonic() < until, f"missing {missing}; told {sorted(self.found)}; else {body['unexplained']}; {body['unread']}"

    def observed(self, *codes: str) -> dict[str, dict[str, Any]]:
        """The same after another look of the observer."""
        ClusterObserver().observe("demo")
        return self.told(*codes)


@pytest.fixture
def ill(standing: Standing, operator: User, api: Callable[..., APIClient]) -> Iterator[Ill]:
    yield Ill(standing, api(operator))
    cache.stop_all()
    standing.sandbox.call("POST", "clock", {"resume": True})
