"""CloudTrail: who changed what. Source: botocore's model of 2013-11-01."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry("InvalidNextTokenException", R, "The listing took too long; it starts again."),
    Entry("InvalidLookupAttributesException", X, "CloudTrail can't look for that attribute.", "Correct what the message names."),
    Entry("InvalidTimeRangeException", X, "CloudTrail keeps no events of that time.", "Ask for the last 90 days."),
    Entry("InvalidMaxResultsException", X, "CloudTrail gives at most 50 events at once.", "Ask for fewer."),
    Entry("InvalidEventCategoryException", X, "CloudTrail knows no such category of events.", "Correct what the message names."),
    Entry("OperationNotPermittedException", X, "The account may not do this.", "Ask whoever administers the account."),
    Entry("UnsupportedOperationException", X, "CloudTrail does not offer this here.", "Use another region."),
)
