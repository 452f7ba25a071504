"""AWS's answers as JSON can keep them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any


def plain(body: Any) -> Any:
    """Timestamps as ISO 8601, the rest as AWS's client shows it."""
    return json.loads(json.dumps(body, default=_as_text))


def _as_text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
