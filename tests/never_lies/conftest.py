"""Fixtures of the walk: the sandbox with its clock stopped, and no waiting that only politeness to AWS asks for."""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import botocore.endpoint
import pytest
from rest_framework.test import APIClient

from accounts.models import User
from clusters.dependencies import helm
from clusters.tests.conftest import pointed, sandbox, sandbox_process
from clusters.tests.sandbox import Sandbox
from tests.never_lies.referee import Referee
from tests.never_lies.rig import CLUSTER, Rig
from tests.never_lies.world import Peephole

__all__ = ["pointed", "sandbox", "sandbox_process"]


@pytest.fixture
def rig(sandbox: Sandbox, operator: User, api: Callable[..., APIClient], settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    settings.AWS_RATE = 100_000.0
    monkeypatch.setattr(botocore.endpoint, "time", types.SimpleNamespace(sleep=lambda seconds: None, time=time.time))
    monkeypatch.setattr(helm, "HELM_SECONDS", 15.0)
    made = Rig(sandbox, operator, api(operator), settings)
    made.control("POST", "clock", {"pause": True})
    yield made
    made.control("POST", "clock", {"resume": True})


@pytest.fixture
def referee(rig: Rig) -> Referee:
    return Referee(Peephole(rig.sandbox.endpoint), CLUSTER, rig.poll, rig.shown)
