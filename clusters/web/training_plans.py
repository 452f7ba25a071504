"""The page of training plans: those that are there, the search for offers, and buying one."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.accounts.reach import account_choices, asked_account
from clusters.actions.readable import readable
from clusters.api.training_plans import wish_of
from clusters.catalog import reading
from clusters.region import asked_region
from clusters.training_plans.offers import COUNTS, search
from instantstart import cloud
from instantstart.problem import Problem
from instantstart.web.review import Review, reviewed
from instantstart.web.signed_in import page
from operations.submission import Submission

ASKED = ("instance_type", "count", "hours")


@page()
@require_safe
def training_plan_list(request: HttpRequest) -> HttpResponse:
    """What is there is asked of AWS, as in the catalogue; what can't be asked is said."""
    region = request.GET.get("region") or settings.DEFAULT_REGION
    principal = principal_of(request)
    accounts = account_choices(principal)
    known = [digits for digits, _ in accounts]
    account = request.GET["account"] if request.GET.get("account") in known else next(iter(known), "")
    context: dict[str, Any] = {
        "region": region,
        "account": account,
        "accounts": accounts,
        "given": request.GET,
        "counts": COUNTS,
        "may_buy": principal.role.covers(Role.ADMIN),
        "searched": any(request.GET.get(name) for name in ASKED),
    }
    try:
        with readable():
            account = asked_account(account, principal)
            context["plans"] = reading.training_plans(cloud.connect(asked_region(region), account)).value
        if context["searched"]:
            wish = wish_of(request.GET.dict())
            with readable():
                context["offers"] = search(cloud.connect(region, account), wish)
    except Problem as problem:
        context["trouble"] = problem
    return render(request, "clusters/training_plans.html", context)


@page(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def training_plan_buy(request: HttpRequest) -> HttpResponse:
    """The offer and its search are in the address; the plan's name is typed once more to confirm."""
    names = ("plan", "offering", "instance_type", "count", "hours", "fee")
    data: dict[str, Any] = {name: request.GET.get(name, "") for name in names}
    data["region"] = request.GET.get("region") or settings.DEFAULT_REGION
    data["account"] = request.GET.get("account", "")
    data["confirm"] = request.POST.get("confirm", "") if request.method == "POST" else data["plan"]
    for name in ("starts_after", "ends_before"):
        if request.GET.get(name):
            data[name] = request.GET[name]
    back = f"{reverse('clusters-web:training-plans')}?region={data['region']}&account={data['account']}"
    review = Review(
        "training_plan.purchase", data, f"Buy the training plan {data['plan']}", "Buy it", back, typed=data["plan"], danger=True
    )
    return reviewed(request, review, _to_operation)


def _to_operation(submission: Submission) -> str:
    operation = submission.operation
    return reverse("operations-web:detail", args=[operation.pk]) if operation is not None else reverse("clusters-web:training-plans")
