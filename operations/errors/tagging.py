"""Resource Groups Tagging API: how orphans are found. Source: botocore's model of 2017-01-26."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry("PaginationTokenExpiredException", R, "The listing took too long; it starts again."),
    Entry("ConcurrentModificationException", R, "Someone else changes the same tags."),
    Entry(
        "ConstraintViolationException", X, "The account's organisation does not allow this.", "Ask the administrator of the organisation."
    ),
    Entry("InvalidParameterException", X, "The Tagging API rejects a parameter.", "Correct what the message names."),
)
