"""Fixtures that operations' tests have, and people and agents with tokens of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.principal import Principal
from accounts.principals import principal_for
from operations.tests.conftest import as_admin, as_agent, as_operator, as_viewer, begin, driven_clock, outside

__all__ = ["as_admin", "as_agent", "as_operator", "as_viewer", "begin", "driven_clock", "outside"]


@pytest.fixture
def agent_of(make_token: Any) -> Callable[..., Principal]:
    """agent_of(user, **limits): the user's agent, with a token of its own."""
    return lambda user, **limits: principal_for(user, make_token(user, agent=True, **limits)[0])
