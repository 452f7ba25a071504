"""Fixtures of clusters' tests: one sandbox for all of them, empty before each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusters.catalog import kept
from clusters.tests.sandbox import Sandbox
from instantstart import cloud

SPEED = 600.0


@pytest.fixture(scope="session")
def sandbox_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    running = Sandbox(tmp_path_factory.mktemp("sandbox"), SPEED)
    yield running
    running.stop()


@pytest.fixture
def pointed(sandbox_process: Sandbox, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """The sandbox as it is, with the environment pointing at it, and without the politeness that AWS's rate limits ask for."""
    settings.AWS_RATE = 10_000.0
    for name, value in sandbox_process.environment().items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    cloud.forget()
    kept.forget()
    yield sandbox_process
    cloud.forget()
    kept.forget()


@pytest.fixture
def sandbox(pointed: Sandbox) -> Sandbox:
    """The same, emptied."""
    pointed.reset()
    return pointed
