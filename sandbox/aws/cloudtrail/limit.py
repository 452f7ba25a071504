"""LookupEvents is limited to two calls a second for each account and region (CloudTrail API reference), on the real clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

CALLS = 2
SECONDS = 1.0
_KEPT = "cloudtrail.calls"


def check(context: Context) -> None:
    """Errors: ThrottlingException, when the two calls of this second were made."""
    now = time.monotonic()
    calls: dict[str, list[float]] = context.world.services.setdefault(_KEPT, {})
    recent = [at for at in calls.get(context.scope, []) if at > now - SECONDS]
    calls[context.scope] = recent
    if len(recent) >= CALLS:
        raise AWSError("ThrottlingException", "Rate exceeded")
    recent.append(now)
