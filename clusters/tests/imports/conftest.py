"""The foreign clusters as a fixture: made once, and left as they were found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import User
from clusters.tests.driving import failure, run
from clusters.tests.imports.foreign import Foreign
from clusters.tests.sandbox import Sandbox
from operations.choices import OperationState


@pytest.fixture(scope="session")
def foreign_once(sandbox_process: Sandbox) -> Foreign:
    return Foreign(sandbox_process)


@pytest.fixture
def foreign(foreign_once: Foreign, pointed: Sandbox, transactional_db: None) -> Iterator[Foreign]:
    pointed.no_faults()
    if not foreign_once.stands():
        foreign_once.make()
    foreign_once.mark()
    yield foreign_once
    pointed.no_faults()


@pytest.fixture
def found(foreign: Foreign, operator: User) -> Foreign:
    """The same, after both regions were searched."""
    searched = run(foreign.sandbox, operator, "import.discover", regions=["us-west-2", "eu-west-1"])
    assert searched.state == OperationState.SUCCEEDED, failure(searched)
    return foreign


@pytest.fixture
def imported(found: Foreign, operator: User) -> Foreign:
    """The same, with `prod` of us-west-2 imported under its own name."""
    observe(found, operator, {"region": "us-west-2", "eks_name": "prod"})
    return found


def observe(found: Foreign, operator: User, *chosen: dict[str, Any]) -> None:
    made = run(found.sandbox, operator, "cluster.import", clusters=list(chosen))
    assert made.state == OperationState.SUCCEEDED, failure(made)
