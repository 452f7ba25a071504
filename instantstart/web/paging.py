"""Links between the pages of a list keep what the list was asked for."""

from __future__ import annotations

from django.http import HttpRequest


def other_parameters(request: HttpRequest) -> str:
    """The query without `page`, with a & in front; "" when there is nothing else."""
    others = request.GET.copy()
    others.pop("page", None)
    return f"&{others.urlencode()}" if others else ""
