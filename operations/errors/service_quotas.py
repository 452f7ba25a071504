"""Service Quotas. Source: botocore's model of 2019-06-24."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "NoSuchResourceException", X, "Service Quotas does not know this quota here.", "Check the region; the check is skipped meanwhile."
    ),
    Entry("IllegalArgumentException", X, "Service Quotas rejects the request.", "Correct what the message names."),
    Entry("InvalidPaginationTokenException", R, "The listing changed meanwhile."),
    Entry("InvalidResourceStateException", R, "The quota is in a state that does not allow this now."),
    Entry(
        "DependencyAccessDeniedException", X, "The caller lacks a permission that Service Quotas needs.", "Grant what the message names."
    ),
    Entry("QuotaExceededException", X, "The limit of open requests is reached.", "Wait until AWS has decided on some."),
    Entry("ResourceAlreadyExistsException", R, "Such a request is open already."),
    Entry("TagPolicyViolationException", X, "A tag policy forbids it.", "Correct the tags."),
    Entry("TooManyTagsException", X, "There are too many tags.", "Remove some."),
)
