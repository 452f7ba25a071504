"""Hands tasks to django-q2's workers, or to whoever stands in for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import structlog
from django.db import DatabaseError
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

Sink = Callable[..., Any]

_sink: ContextVar[Sink | None] = ContextVar("operations_queue_sink", default=None)


@contextmanager
def using(sink: Sink) -> Iterator[None]:
    """Within it, tasks go to `sink(path, *args)` instead of the broker."""
    token = _sink.set(sink)
    try:
        yield
    finally:
        _sink.reset(token)


def enqueue(path: str, *args: Any) -> bool:
    """Enqueues the function at that dotted path. False when the broker can't be reached (the dispatcher tries again)."""
    sink = _sink.get()
    if sink is not None:
        sink(path, *args)
        return True
    from django_q.tasks import async_task

    try:
        async_task(path, *args)
    except (DatabaseError, RedisError, OSError) as error:
        log.warning("queue_unreachable", task=path, error=str(error))
        return False
    return True
