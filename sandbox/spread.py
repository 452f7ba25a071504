"""A value between two bounds that follows from an id: looks random over many ids, is the same after every restart."""

from __future__ import annotations

import hashlib


def spread(seed: str, low: float, high: float) -> float:
    """A number in [low, high) decided by `seed` alone."""
    digest = hashlib.sha256(seed.encode()).digest()
    return low + (high - low) * int.from_bytes(digest[:6], "big") / 2**48


def hex_id(seed: str, length: int) -> str:
    """`length` (at most 64) hexadecimal digits decided by `seed` alone."""
    return hashlib.sha256(seed.encode()).hexdigest()[:length]
