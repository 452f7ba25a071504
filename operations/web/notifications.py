"""Pages of notifications: the bell of every page, the list, dismissing."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts.principals import principal_of
from instantstart.web.paging import other_parameters
from instantstart.web.signed_in import page
from operations.web import notices

PAGE = 50


@page()
def bell(request: HttpRequest) -> HttpResponse:
    """The bell alone; pages ask for it when operations change."""
    return render(request, "components/bell.html")


@page()
def notification_list(request: HttpRequest) -> HttpResponse:
    principal = principal_of(request)
    context = {
        "notifications": Paginator(notices.visible(principal), PAGE).get_page(request.GET.get("page")),
        "query": other_parameters(request),
        "waiting": set(notices.unread(principal).values_list("pk", flat=True)),
    }
    template = "operations/notification_rows.html" if request.headers.get("HX-Request") else "operations/notifications.html"
    return render(request, template, context)


@page()
@require_POST
def notification_dismiss(request: HttpRequest) -> HttpResponse:
    """One (`id`) or all of one's own."""
    given = request.POST.get("id", "")
    notices.dismiss(principal_of(request), int(given) if given.isdecimal() else None)
    return redirect("operations-web:notifications")
