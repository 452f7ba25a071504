"""The AWS connection: which account this is, and what is missing."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from instantstart import doctor
from instantstart.web.signed_in import page
from instantstart.web.trouble import find_trouble


@page()
def connection(request: HttpRequest) -> HttpResponse:
    """The frame comes at once; what needs AWS is fetched by the page itself, so that a dead endpoint holds nobody up."""
    if not request.headers.get("HX-Request"):
        return render(request, "connection.html", {"region": settings.DEFAULT_REGION})
    return render(request, "connection_report.html", {"report": doctor.examine()})


@page()
def trouble(request: HttpRequest) -> HttpResponse:
    """What keeps AWS from being used, for the list of clusters, which fetches it after it is shown; 204 for nothing."""
    found = find_trouble(settings.DEFAULT_REGION)
    return HttpResponse(status=204) if found is None else render(request, "connection_trouble.html", {"trouble": found})
