"""`?wait=`: answer when the operation has ended, or when the caller's patience has.

The wait is asynchronous: between two short looks at the database it holds neither a thread nor a connection.
"""

from __future__ import annotations

import asyncio
import functools
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from instantstart.api.errors import problem_response
from instantstart.problem import FieldError, Problem
from operations.models import Operation
from operations.models.operation import LOCKING_STATES

LONGEST_WAIT = 25.0
"""Seconds; below the 30 s after which many proxies give up."""
LOOK_EVERY = 0.25

View = Callable[..., HttpResponseBase]


def waiting(view: View) -> Callable[..., Awaitable[HttpResponseBase]]:
    """Wrap the detail view. It answers first, so that who may not see the operation does not wait for it either."""

    @functools.wraps(view)
    async def wait(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        answer_now = sync_to_async(view, thread_sensitive=True)
        asked = request.GET.get("wait") if request.method == "GET" else None
        seconds = 0.0
        if asked is not None:
            try:
                seconds = _seconds(asked)
            except Problem as problem:
                return problem_response(problem)
        response = await answer_now(request, *args, **kwargs)
        if seconds and response.status_code in (200, 304) and await _ended(kwargs["pk"], seconds):
            response = await answer_now(request, *args, **kwargs)
        return response

    # The resolver and the schema generator look for these on the view.
    for name in ("cls", "initkwargs", "actions", "csrf_exempt", "view_class"):
        if hasattr(view, name):
            setattr(wait, name, getattr(view, name))
    return wait


def _seconds(asked: str) -> float:
    try:
        seconds = float(asked)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_WAIT:
        error = FieldError(
            "wait", "out_of_range", f"wait is 0 to {LONGEST_WAIT:.0f} seconds.", f"Send wait={LONGEST_WAIT:.0f} and ask again."
        )
        raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])
    return seconds


async def _ended(pk: uuid.UUID, seconds: float) -> bool:
    """Wait; answers whether the operation changed meanwhile, so that the first answer is out of date."""
    deadline = time.monotonic() + seconds
    waited = False
    while await Operation.objects.filter(pk=pk, state__in=LOCKING_STATES).aexists():
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return True  # still going on, but further than the first answer said
        waited = True
        await asyncio.sleep(min(LOOK_EVERY, remaining))
    return waited
