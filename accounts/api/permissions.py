"""Which role may call what. One class for every view; a view says only where it differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.http import HttpRequest
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.choices import Role
from accounts.principals import principal_of
from instantstart.problem import Problem
from operations.agents import rules

if TYPE_CHECKING:
    from rest_framework.views import APIView


class RolePermission(BasePermission):
    """Reading needs a viewer, changing an operator; `required_role = {"GET": Role.ADMIN, …}` on the view says otherwise.

    401 without session or token; 403 `role_too_low`, or `read_only_token` or `agents_stopped` for an unsafe method. Which clusters a token
    may reach is a matter of the view's query: what is out of reach is not found.
    """

    def has_permission(self, request: Request | HttpRequest, view: APIView) -> bool:
        principal = principal_of(request)
        method = request.method or "GET"
        needed = role_needed(view, method)
        if not principal.role.covers(needed):
            raise Problem(
                403,
                "role_too_low",
                "Role too low",
                f"This needs the role {needed}; you act as {principal.role}.",
                f"Ask an admin for the role {needed}, or use a token that has it.",
            )
        if principal.read_only and method not in SAFE_METHODS:
            raise Problem(403, "read_only_token", "Read-only token", "This token only reads.", "Use a token that may write, or sign in.")
        if principal.agent and method not in SAFE_METHODS and not _plans_only(request):
            rules.refuse_while_stopped(rules.current(), "This change")
        return True


def _plans_only(request: Request | HttpRequest) -> bool:
    """A dry run writes nothing, so it goes on while agents are stopped."""
    from instantstart.api.views import wants_plan_only

    return isinstance(request, Request) and wants_plan_only(request)


def role_needed(view: APIView, method: str) -> Role:
    """The weakest role that may call the view with that method."""
    declared: Mapping[str, Role] = getattr(view, "required_role", {})
    default = Role.VIEWER if method in SAFE_METHODS else Role.OPERATOR
    return declared.get(method, default)
