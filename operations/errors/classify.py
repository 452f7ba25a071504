"""Looks an exception up in the table."""

from __future__ import annotations

from instantstart.problem import Problem
from operations.choices import Category
from operations.errors.entry import Entry
from operations.errors.table import find
from operations.step import Fault


def classify(error: BaseException) -> Fault:
    """Code, sentence, fix and category of an exception.

    Knows the gateways' errors by their attributes (`service`, `code`, `message`, `status`), and our Problem. An error of a
    service that the table does not know goes by its HTTP status: 429 throttled, 5xx recoverable, else unknown.
    Anything else is a defect of ours: category unknown.
    """
    if isinstance(error, Problem):
        category = Category.RECOVERABLE if error.code == "operation_in_progress" else Category.TERMINAL
        return Fault(error.code, error.detail, error.hint, category)
    if unforeseen(error):
        return Fault(
            "internal_error",
            f"A defect of InstantStart: {type(error).__name__}: {error}",
            "See the log of the worker; report it with the operation's id.",
            Category.UNKNOWN,
        )
    service, code = str(error.service), str(error.code)  # type: ignore[attr-defined]
    message = str(getattr(error, "message", "") or error)
    entry = find(service, code, message)
    if entry is None:
        category = _by_status(getattr(error, "status", None))
        return Fault(code, message, "", category)
    return Fault(code, _sentence(entry, message), entry.fix, entry.category)


def uncertain(error: BaseException) -> bool:
    """Whether the call may have had its effect although it failed: no reply, a server's failure, or a defect of ours."""
    if isinstance(error, Problem):
        return False
    if unforeseen(error):
        return True
    sent = getattr(error, "sent", None)
    if sent is False:
        return False
    status = getattr(error, "status", None)
    return not status or (int(status) >= 500 and int(status) != 501)


def unforeseen(error: BaseException) -> bool:
    """Whether it is none of the errors that gateways raise on purpose (those have `service` and `code`)."""
    return not isinstance(error, Problem) and not (hasattr(error, "service") and hasattr(error, "code"))


def _sentence(entry: Entry, message: str) -> str:
    if not entry.sentence:
        return message
    return f"{entry.sentence} ({message})" if message else entry.sentence


def _by_status(status: object) -> Category:
    if not isinstance(status, int):
        return Category.UNKNOWN
    if status == 429:
        return Category.THROTTLED
    if status >= 500 and status != 501:
        return Category.RECOVERABLE
    return Category.UNKNOWN
