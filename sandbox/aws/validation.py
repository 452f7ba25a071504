"""Input checked as the service's model says; filled in below by protocol work."""

from __future__ import annotations

from typing import Any

from botocore.model import OperationModel


def check(operation: OperationModel, params: dict[str, Any]) -> None:
    """Raise the service's own validation error."""
