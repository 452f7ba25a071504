"""The standing cluster as a fixture."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.models import User
from clusters.catalog import kept
from clusters.tests.groups.standing import Standing
from clusters.tests.sandbox import Sandbox
from instantstart import cloud


@pytest.fixture(scope="session")
def standing_once(sandbox_process: Sandbox) -> Standing:
    return Standing(sandbox_process)


@pytest.fixture
def standing(
    standing_once: Standing, sandbox_process: Sandbox, operator: User, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> Iterator[Standing]:
    for name, value in sandbox_process.environment().items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    cloud.forget()
    kept.forget()
    sandbox_process.no_faults()
    if standing_once.stands():
        standing_once.remember()
    else:
        standing_once.make(operator)
    standing_once.mark()
    yield standing_once
    sandbox_process.no_faults()
    cloud.forget()
    kept.forget()
