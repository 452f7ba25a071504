"""Kubernetes' spelling of moments."""

from __future__ import annotations

import datetime as dt


def text_of(seconds: float) -> str:
    """Epoch seconds as RFC 3339 in whole seconds."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(text: str) -> float:
    """RFC 3339, with or without a fraction, as epoch seconds."""
    return dt.datetime.fromisoformat(text).timestamp()
