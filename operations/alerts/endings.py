"""What the end of an operation says: one that failed is an alert until the same succeeds."""

from __future__ import annotations

from django.urls import NoReverseMatch, reverse

from operations.alerts.telling import Trouble, tell
from operations.choices import OperationState
from operations.models import Operation
from operations.models.alert import AlertKind, AlertSeverity

BAD = (OperationState.FAILED, OperationState.UNKNOWN)


def operation_ended(operation: Operation) -> None:
    """Called in the transaction that ends it; children speak through their parent."""
    if operation.parent_id is not None:
        return
    subject = f"{operation.subject_type}:{operation.subject} {operation.kind}"
    if operation.state in BAD:
        tell(AlertKind.OPERATION_FAILED, subject, _trouble(operation), cluster=operation.cluster)
    elif operation.state == OperationState.SUCCEEDED:
        tell(AlertKind.OPERATION_FAILED, subject, None, cluster=operation.cluster)


def _trouble(operation: Operation) -> Trouble:
    how = "failed" if operation.state == OperationState.FAILED else "has an unknown outcome"
    sentence = f"{operation.title} ({operation.subject}) {how}. {operation.error_message}".strip()
    return Trouble(sentence, operation.error_hint, AlertSeverity.ERROR, page_of(operation))


def page_of(operation: Operation) -> str:
    """Path of its page; "" where there is none."""
    try:
        return reverse("operations-web:detail", args=[operation.pk])
    except NoReverseMatch:  # a process without pages
        return ""
