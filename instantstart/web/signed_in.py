"""What all pages of signed-in people share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.choices import Role
from accounts.principals import principal_of

View = Callable[..., HttpResponse]


def page(role: Role = Role.VIEWER) -> Callable[[View], View]:
    """Decorator: only for signed-in people of at least this role; others get the sign-in page, or a page that says why."""

    def decorate(view: View) -> View:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not principal_of(request).role.covers(role):
                return render(request, "refused.html", {"needed": role.label}, status=403)
            return view(request, *args, **kwargs)

        return guarded

    return decorate
