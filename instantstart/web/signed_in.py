"""What all pages of signed-in people share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.choices import Role
from accounts.principals import principal_of
from instantstart.problem import Problem

View = Callable[..., HttpResponse]
CLUSTER_ROUTE = "clusters/<slug:name>/"
"""What is below it is about the cluster of that name."""


def page(role: Role = Role.VIEWER) -> Callable[[View], View]:
    """Decorator: only for signed-in people of at least this role; others get the sign-in page, or a page that says why.

    A page of a cluster that is out of the person's reach is not found, as that of one that is not there. A part of a page that fetches
    itself after the session has ended takes the whole page to the sign-in.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                if request.headers.get("HX-Request"):
                    shown = urlsplit(request.headers.get("HX-Current-URL", "/"))._replace(scheme="", netloc="").geturl()
                    return HttpResponse(status=401, headers={"HX-Redirect": f"{reverse(settings.LOGIN_URL)}?next={quote(shown)}"})
                return redirect_to_login(request.get_full_path())
            principal = principal_of(request)
            if not principal.role.covers(role):
                return render(request, "refused.html", {"needed": role.label}, status=403)
            match = request.resolver_match
            if match is not None and match.route.startswith(CLUSTER_ROUTE) and not principal.may_reach(match.kwargs["name"]):
                raise Http404
            try:
                return view(request, *args, **kwargs)
            except Problem as problem:  # one that the page has no place of its own for
                return render(request, "problem.html", {"problem": problem}, status=problem.status)

        return guarded

    return decorate
