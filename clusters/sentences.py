"""Parts of sentences that people read."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 5


def listing(things: Sequence[str], most: int = SHOWN) -> str:
    """The first few by name, and how many more there are."""
    more = f" and {len(things) - most} more" if len(things) > most else ""
    return ", ".join(things[:most]) + more
