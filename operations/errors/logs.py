"""CloudWatch Logs. Source: botocore's model of 2014-03-28."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry("ResourceAlreadyExistsException", R, "The log group exists already; looking whether it is ours."),
    Entry("ResourceNotFoundException", R, "The log group or stream is not there (yet)."),
    Entry("OperationAbortedException", R, "Another change of the log group is under way."),
    Entry("ConflictException", R, "Another change of it is under way."),
    Entry("InvalidParameterException", X, "CloudWatch Logs rejects a parameter.", "Correct what the message names."),
    Entry("InvalidOperationException", X, "CloudWatch Logs does not allow this.", "The message says why (deletion protection)."),
    Entry("LimitExceededException", X, "A CloudWatch Logs quota is reached.", "Delete log groups, or ask for a higher quota."),
    Entry("ServiceQuotaExceededException", X, "A CloudWatch Logs quota is reached.", "Delete log groups, or ask for a higher quota."),
    Entry("TooManyTagsException", X, "There are too many tags.", "Remove some."),
    Entry("DataAlreadyAcceptedException", R, "These lines were accepted before."),
    Entry("InvalidSequenceTokenException", R, "Someone else wrote to the stream meanwhile."),
    Entry("MalformedQueryException", X, "The query is malformed.", "Correct what the message names."),
)
