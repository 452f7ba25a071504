"""Refused changes go to the audit trail, whichever part of the API refused them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from instantstart.problem import Problem

AUDITED_STATUSES = (401, 403)


def note(request: Request, problem: Problem) -> None:
    """Write a refused unsafe call down, unless an action has done so already. A 401 without any credential is noise and is left out."""
    from accounts import audit
    from accounts.choices import AuditOutcome
    from accounts.principals import principal_for

    if problem.audited or problem.status not in AUDITED_STATUSES or request.method in SAFE_METHODS:
        return
    user, token = _credentials(request)
    if user is None and "Authorization" not in request.headers:
        return
    audit.record(
        f"{request.method} {_route(request)}",
        principal=principal_for(user, token) if user is not None else None,
        subject=request.path,
        outcome=AuditOutcome.REFUSED,
        code=problem.code,
        detail=problem.detail,
    )
    problem.audited = True


def _credentials(request: Request) -> tuple[Any, Any]:
    """User and token when authentication got that far; looking at request.user again would repeat a failed one."""
    user = getattr(request, "_user", None)
    if user is None or isinstance(user, AnonymousUser):
        return None, None
    return user, getattr(request, "_auth", None)


def _route(request: Request) -> str:
    match = request.resolver_match
    return match.route if match is not None else request.path
