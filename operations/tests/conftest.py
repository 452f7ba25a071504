"""Fixtures of operations' tests: principals, an empty world outside, a clock that is driven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.choices import Role
from accounts.models import User
from accounts.principal import Principal
from operations import clock, pace
from operations.models import Operation
from operations.submit import submit
from operations.tests import fakes, world


@pytest.fixture(autouse=True)
def outside() -> Iterator[world.Outside]:
    """A new world; what earlier tests did to it is gone."""
    world.outside = world.Outside()
    fakes.finished.clear()
    fakes.unreadable.clear()
    pace.forget_stretches()
    yield world.outside


def principal_of(role: Role, **changes: Any) -> Principal:
    user, _ = User.objects.get_or_create(username=f"the {role.value}", defaults={"role": role})
    values: dict[str, Any] = {"token": None, "role": role, "clusters": None, "read_only": False, "agent": False}
    return Principal(user=user, **(values | changes))


@pytest.fixture
def as_viewer(db: None) -> Principal:
    return principal_of(Role.VIEWER)


@pytest.fixture
def as_operator(db: None) -> Principal:
    return principal_of(Role.OPERATOR)


@pytest.fixture
def as_admin(db: None) -> Principal:
    return principal_of(Role.ADMIN)


@pytest.fixture
def as_agent(db: None) -> Principal:
    return principal_of(Role.OPERATOR, agent=True)


@pytest.fixture
def begin(as_admin: Principal) -> Callable[..., Operation]:
    """begin(kind, **input): the operation that submitting makes; an agent with a token looks first."""

    def begun(kind: str = "fake.make", *, by: Principal | None = None, **raw: Any) -> Operation:
        asked, who = {"name": "demo", **raw}, by or as_admin
        looks = who.agent and who.token is not None
        seen = submit(kind, asked, who, channel="api", dry_run=True).plan.fingerprint if looks else None
        operation = submit(kind, asked, who, channel="api", plan_fingerprint=seen).operation
        assert operation is not None
        return operation

    return begun


class DrivenClock:
    """operations.clock, moved by hand."""

    def __init__(self, start: datetime) -> None:
        self.at = start

    def now(self) -> datetime:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def driven_clock(monkeypatch: pytest.MonkeyPatch) -> DrivenClock:
    driven = DrivenClock(clock.now())
    monkeypatch.setattr(clock, "now", driven.now)
    return driven
