"""The standing cluster as a fixture."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.models import User
from clusters.tests.groups.standing import Standing
from clusters.tests.sandbox import Sandbox


@pytest.fixture(scope="session")
def standing_once(sandbox_process: Sandbox) -> Standing:
    return Standing(sandbox_process)


@pytest.fixture
def standing(standing_once: Standing, pointed: Sandbox, operator: User, transactional_db: None) -> Iterator[Standing]:
    pointed.no_faults()
    if standing_once.stands():
        standing_once.remember()
    else:
        standing_once.make(operator)
    standing_once.mark()
    yield standing_once
    pointed.no_faults()
