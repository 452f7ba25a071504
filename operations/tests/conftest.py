"""Fixtures of operations' tests: people, and an empty world outside."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.choices import Role
from accounts.models import User
from accounts.principal import Principal
from operations import pace
from operations.tests import fakes, world


@pytest.fixture(autouse=True)
def outside() -> Iterator[world.Outside]:
    """A new world; what earlier tests did to it is gone."""
    world.outside = world.Outside()
    fakes.finished.clear()
    fakes.unreadable.clear()
    pace.forget_stretches()
    yield world.outside


def principal(user: User, **changes: object) -> Principal:
    values: dict[str, object] = {"token": None, "role": Role(user.role), "clusters": None, "read_only": False, "agent": False}
    return Principal(user=user, **(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def operator(db: None) -> Principal:
    return principal(User.objects.create_user("olga", password=None, role=Role.OPERATOR))


@pytest.fixture
def admin(db: None) -> Principal:
    return principal(User.objects.create_user("ada", password=None, role=Role.ADMIN))


@pytest.fixture
def viewer(db: None) -> Principal:
    return principal(User.objects.create_user("vera", password=None, role=Role.VIEWER))
