"""The page of the run rate."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.principals import principal_of
from clusters.prices.rate import rate
from instantstart.web.signed_in import page


@page()
@require_safe
def cost(request: HttpRequest) -> HttpResponse:
    """What runs costs an hour."""
    found = rate(principal_of(request), owner=request.GET.get("owner", ""))
    return render(request, "clusters/cost.html", {"rate": found, "owners": sorted(found.owners.items()), "given": request.GET})
