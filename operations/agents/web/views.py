"""Pages of what agents ask, and of the switch that stops them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.choices import Role
from accounts.principal import Principal
from accounts.principals import principal_of
from instantstart.problem import Problem
from instantstart.web.paging import other_parameters
from instantstart.web.signed_in import page
from operations.agents import approval, rules, switch
from operations.agents.standing import decidable, standing, waiting
from operations.agents.web.forms import ApprovalCostForm
from operations.choices import Channel

PAGE = 50


@page()
def approval_list(request: HttpRequest) -> HttpResponse:
    """What agents asked that waits for a person: the oldest first, for it expires first."""
    principal = principal_of(request)
    asked = waiting(principal).select_related("actor").order_by("created_at", "id")
    shown = Paginator(asked, PAGE).get_page(request.GET.get("page"))
    may_decide = set(decidable(principal))
    rows = [
        {
            "operation": operation,
            "summary": operation.plan.get("summary", ""),
            "expires_at": approval.expires_at(operation.created_at),
            "decides": operation.kind in may_decide,
        }
        for operation in shown
    ]
    context = {"shown": shown, "rows": rows, "query": other_parameters(request)}
    return render(request, "agents/approval_rows.html" if request.headers.get("HX-Request") else "agents/approvals.html", context)


@page()
def badge(request: HttpRequest) -> HttpResponse:
    """The number of what waits alone; pages ask for it when operations change."""
    return render(request, "components/approvals_badge.html")


def _show(request: HttpRequest, form: ApprovalCostForm | None = None) -> HttpResponse:
    principal, row = principal_of(request), rules.current()
    context = {
        "form": form or ApprovalCostForm(initial={"approval_cost_per_hour": row.approval_cost_per_hour}),
        "row": row,
        "now": standing(principal, row),
        "administers": principal.role.covers(Role.ADMIN),
    }
    return render(request, "agents/rules.html", context, status=200 if form is None else 422)


@page()
@require_safe
def rules_page(request: HttpRequest) -> HttpResponse:
    """The switch and the limit of cost, for everybody to read."""
    return _show(request)


@page(Role.ADMIN)
@require_POST
def set_cost(request: HttpRequest) -> HttpResponse:
    form = ApprovalCostForm(request.POST)
    if not form.is_valid():
        return _show(request, form)
    cost = form.cleaned_data["approval_cost_per_hour"]
    return _decide(request, lambda who: switch.set_approval_cost(who, cost, channel=Channel.WEB), "Noted: it holds from now on.")


def _decide(request: HttpRequest, decide: Callable[[Principal], Any], said: str) -> HttpResponse:
    try:
        decide(principal_of(request))
        messages.success(request, said)
    except Problem as problem:
        messages.error(request, str(problem))
    return redirect("agents-web:rules")


@page(Role.ADMIN)
@require_POST
def stop(request: HttpRequest) -> HttpResponse:
    reason = request.POST.get("reason", "")
    return _decide(request, lambda who: switch.stop(who, reason, channel=Channel.WEB), "All agents are stopped.")


@page(Role.ADMIN)
@require_POST
def start(request: HttpRequest) -> HttpResponse:
    return _decide(request, lambda who: switch.start(who, channel=Channel.WEB), "Agents may write again; what was held begins.")
