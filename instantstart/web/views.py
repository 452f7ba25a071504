"""The page of the AWS connection: which account this is, and what is missing."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from instantstart import doctor
from instantstart.web.signed_in import page


@page()
def connection(request: HttpRequest) -> HttpResponse:
    """The frame comes at once; what needs AWS is fetched by the page itself, so that a dead endpoint holds nobody up."""
    if not request.headers.get("HX-Request"):
        return render(request, "connection.html", {"region": settings.DEFAULT_REGION})
    return render(request, "connection_report.html", {"report": doctor.examine()})
