"""A small world outside: things with names, made by calls that can go wrong, every call counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class OutsideError(Exception):
    """Shaped as the gateways' errors are."""

    code: str
    message: str = "as injected"
    status: int | None = 400
    sent: bool | None = True
    service: str = "fake"
    operation: str = "make"
    request_id: str = "req-error"


@dataclass
class Outside:
    """things: name -> looks left until it is ready. calls: (call, name, token) in order, those that failed too.

    before: raised by the next calls in turn, without effect. after: raised by the next calls in turn, after the effect.
    """

    looks_until_ready: int = 1
    things: dict[str, int] = field(default_factory=dict)
    made: list[tuple[str, str]] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    reads: int = 0
    before: list[BaseException] = field(default_factory=list)
    after: list[BaseException] = field(default_factory=list)
    unreadable: list[BaseException] = field(default_factory=list)
    during: Callable[[str], Any] | None = None
    broken: dict[str, Any] = field(default_factory=dict)

    def read(self, name: str) -> int | None:
        """Looks left until the thing is ready; None when there is none."""
        self.reads += 1
        if self.unreadable:
            raise self.unreadable.pop(0)
        left = self.things.get(name)
        if left:
            self.things[name] = left - 1
        return left

    def make(self, name: str, token: str, *, once_per_token: bool = True) -> str:
        """Makes a thing; under a token that came before it does nothing, unless the API knows no tokens."""
        self.calls.append(("make", name, token))
        if self.before:
            raise self.before.pop(0)
        if not once_per_token or self.tokens.get(name) != token:
            self.made.append((name, token))
            self.things[name] = self.looks_until_ready
            self.tokens[name] = token
        if self.during is not None:
            self.during(name)
        if self.after:
            raise self.after.pop(0)
        return f"req-{len(self.calls)}"

    def remove(self, name: str, token: str) -> str:
        self.calls.append(("remove", name, token))
        if self.before:
            raise self.before.pop(0)
        self.things.pop(name, None)
        return f"req-{len(self.calls)}"


outside = Outside()
"""The one that the fake steps reach; a fixture empties it before each test."""
