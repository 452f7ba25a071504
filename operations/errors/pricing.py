"""Price List: what instances cost. Source: botocore's model of 2017-10-15."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry("InvalidParameterException", X, "The price list rejects a parameter.", "Correct what the message names."),
    Entry("InvalidNextTokenException", R, "The listing changed meanwhile; it starts again."),
    Entry("ExpiredNextTokenException", R, "The listing took too long; it starts again."),
    Entry("NotFoundException", X, "The price list does not know this.", "Known prices stay; check the region."),
    Entry("InternalErrorException", R, "The price list has a fault of its own."),
)
