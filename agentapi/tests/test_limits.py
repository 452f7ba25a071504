"""How much one token may ask."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from agentapi.limits import Limits, TooMany


def test_calls_a_minute_are_limited_for_each_token_alone() -> None:
    limits = Limits(a_minute=3, at_once=9, in_all=9)
    for _ in range(3):
        with limits.held("one"):
            pass
    with pytest.raises(TooMany) as many, limits.held("one"):
        pass
    assert (many.value.code, many.value.retry_after) == ("rate_limited", 20)
    with limits.held("another"):
        pass


def test_calls_at_a_time_are_limited_for_each_token_and_for_all() -> None:
    limits = Limits(a_minute=100, at_once=2, in_all=3)
    with ExitStack() as held:
        held.enter_context(limits.held("one"))
        held.enter_context(limits.held("one"))
        with pytest.raises(TooMany) as own, limits.held("one"):
            pass
        assert own.value.code == "too_many_at_once"
        held.enter_context(limits.held("another"))
        with pytest.raises(TooMany) as everybody, limits.held("a third"):
            pass
        assert everybody.value.code == "busy"
    with limits.held("one"):
        pass
