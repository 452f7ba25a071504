"""A limit to every test: one that hangs fails with the line it hangs at, instead of taking the whole run with it.

pytest has no such limit; the plugin that adds one has had no release for over a year."""

from __future__ import annotations

import signal
from collections.abc import Generator
from types import FrameType

import pytest

SECONDS = 600


class TooLong(BaseException):
    """Not an Exception: code under test that takes whatever is raised must not take this."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    marker = item.get_closest_marker("limit")
    seconds = marker.args[0] if marker else SECONDS

    def stop(signum: int, frame: FrameType | None) -> None:
        signal.alarm(30)  # should the first be swallowed, or the tear-down hang as well
        raise TooLong(f"{item.nodeid} has taken more than {seconds} s with its fixtures")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
