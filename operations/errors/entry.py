"""One row of the error table."""

from __future__ import annotations

from dataclasses import dataclass

from operations.choices import Category


@dataclass(frozen=True)
class Entry:
    """What a code means. pattern: a regular expression that the message must match, for codes that mean many things.

    sentence: what happened, in our words ("" when the service's own message says it). fix: what a person can do.
    """

    code: str
    category: Category
    sentence: str = ""
    fix: str = ""
    pattern: str = ""
