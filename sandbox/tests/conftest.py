"""Fixtures of the sandbox's own tests: a world in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.testing import call
from sandbox.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty account whose clock stands still: tests move it."""
    made = World(tmp_path / "state", speed=60)
    made.clock.pause()
    yield made
    made.close()


@pytest.fixture
def aws(world: World) -> Callable[..., dict[str, Any]]:
    """aws("s3", "CreateBucket", Bucket=…): a call as the sandbox user."""

    def ask(service: str, operation: str, **params: Any) -> dict[str, Any]:
        return call(world, service, operation, params)

    return ask
