"""Which known errors the tests show: each row of the table must be among them."""

from __future__ import annotations

SHOWN: set[str] = set()


def shows(*codes: str) -> tuple[str, ...]:
    """Notes that the test which names these makes the sandbox do them and reads them from the outside."""
    SHOWN.update(codes)
    return codes
