from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.tests.landscape import Landscape
from sandbox.world import World


@pytest.fixture
def land(tmp_path: Path) -> Iterator[Landscape]:
    world = World(tmp_path, speed=1)
    yield Landscape(world)
    world.close()
