"""The table: service by service, and what all AWS services have in common."""

from __future__ import annotations

import re
from functools import cache

from operations.errors import aws_common
from operations.errors.entry import Entry

SERVICES: dict[str, tuple[Entry, ...]] = {}
AWS_COMMON: tuple[Entry, ...] = aws_common.ENTRIES


def find(service: str, code: str, message: str = "") -> Entry | None:
    """The first row of the service that fits, else of what AWS services have in common, else None."""
    own = SERVICES.get(service, ())
    for entry in (*own, *(() if service in ("kubernetes", "helm") else AWS_COMMON)):
        if entry.code == code and (not entry.pattern or _compiled(entry.pattern).search(message)):
            return entry
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
